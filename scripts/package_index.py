"""Files of the Python package index, through the pip of this machine and its configuration."""
import hashlib
import pathlib
import subprocess
import sys


class Index:
    """`program` begins the messages."""

    def __init__(self, program):
        self.program = program

    def download(self, requirement, folder, *options):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), *options]
        if subprocess.run([*command, requirement]).returncode:
            sys.exit(f"{self.program}: pip could not download {requirement} (its message is above)")

    def wheel(self, name, version, folder, *options):
        self.download(f"{name}=={version}", folder, "--only-binary=:all:", *options)
        return next(pathlib.Path(folder).glob(f"{name.replace('-', '_').lower()}-*.whl"))

    def source(self, name, version, folder):
        # 'pip download' would first install what building it needs, for nothing; pip's own finder, with the machine's
        # index, certificates and proxies, knows the file. pip does not promise this interface; if it fails, take the slow way.
        try:
            from pip._internal.commands import create_command
            command = create_command("download")
            with command.main_context():
                options, _ = command.parse_args(["--no-binary=:all:"])
                session = command.get_default_session(options)
                finder = command._build_package_finder(options, session)
                link = next(c.link for c in finder.find_all_candidates(name) if str(c.version) == version)
                answer = session.get(link.url_without_fragment, headers={"Accept-Encoding": "identity"})
                answer.raise_for_status()
            path = pathlib.Path(folder) / link.filename
            path.write_bytes(answer.content)
        except Exception as error:
            print(f"{self.program}: the quick way failed ({error!r}), now the slow one", file=sys.stderr)
            self.download(f"{name}=={version}", folder, "--no-binary=:all:")
            path = next(pathlib.Path(folder).glob("*.tar.gz"))
        return path

    def verify(self, path, sha256):
        got = hashlib.sha256(path.read_bytes()).hexdigest()
        if got != sha256:
            sys.exit(f"{self.program}: {path.name} has SHA-256 {got}, expected {sha256}")
