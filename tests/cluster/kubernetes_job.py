"""docs/cluster/kubernetes*.yaml against the models of Kubernetes' own Python client: every field is known, has the right type, and
those that are needed are there. Then what only qturn knows: its variables fit the job.

usage: kubernetes_job.py

Exits with 4, and says why, where the client is missing.
"""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/cluster"

try:
    import yaml
    from kubernetes import client
except ImportError as error:
    print(f"skipped: {error}; pip install kubernetes")
    sys.exit(4)

PLAIN = {"str": str, "int": int, "bool": bool, "object": object}


def check(value, kind, place):
    """Whether a value of the YAML file is of a kind as the client writes it: "V1JobSpec", "List[V1Volume]", "Dict[str, str]"."""
    if kind in PLAIN:
        assert isinstance(value, PLAIN[kind]), f"{place}: {value!r} is not of the type {kind}"
    elif kind.lower().startswith("list["):
        assert isinstance(value, list), f"{place}: is not a list"
        for number, each in enumerate(value):
            check(each, kind[len("list["):-1], f"{place}[{number}]")
    elif kind.lower().startswith("dict"):
        assert isinstance(value, dict), f"{place}: is not a mapping"
        for name, each in value.items():
            check(each, kind[:-1].split(", ", 1)[1], f"{place}.{name}")
    else:
        model = getattr(client, kind)
        attributes = {yaml_name: name for name, yaml_name in model.attribute_map.items()}
        assert isinstance(value, dict), f"{place}: is not a mapping"
        unknown = set(value) - set(attributes)
        assert not unknown, f"{place}: {kind} has no {', '.join(unknown)}"
        for name, each in value.items():
            check(each, model.openapi_types[attributes[name]], f"{place}.{name}")
        # The client refuses a model without what it needs.
        model(**{attributes[name]: each for name, each in value.items()})


def main():
    jobs = {}
    for file in sorted(FOLDER.glob("*.yaml")):
        jobs[file.name] = yaml.safe_load(file.read_text())
        assert (jobs[file.name]["apiVersion"], jobs[file.name]["kind"]) == ("batch/v1", "Job"), file.name
        check(jobs[file.name], "V1Job", file.name)
    assert set(jobs) == {"kubernetes.yaml", "kubernetes-merge.yaml"}
    spec = jobs["kubernetes.yaml"]["spec"]
    container = spec["template"]["spec"]["containers"][0]
    shards = {each["name"]: each["value"] for each in container["env"]}["QTURN_SHARDS"]
    assert spec["completionMode"] == "Indexed" and shards == str(spec["completions"])
    assert container["command"][-3:] == ["--shard", "auto", "--resume"]
    try:
        check({"apiVersion": "batch/v1", "kind": "Job", "spec": {"completion": 8, "template": {}}}, "V1Job", "job")
    except AssertionError:
        return
    raise AssertionError("a field that does not exist was not noticed")


if __name__ == "__main__":
    main()
