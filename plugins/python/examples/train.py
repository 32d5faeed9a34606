"""Trains a small network to tell the folders of photographs apart.

  train.py [--device DEVICE] FOLDER [EPOCHS]

The pictures of each folder in FOLDER are a class. Two workers read the files, and nothing else. The batches are decoded, cropped,
mirrored and resized in this process, on the GPU if there is one, else on all cores. Two are always under way.
"""
import argparse
import pathlib

import torch

from qturn.torch import BatchDecoder, CenterCrop, RandomResizedCrop, collate

SIDE = 64
SUFFIXES = (".jpg", ".jpeg", ".png", ".tif", ".webp")


class Photographs(torch.utils.data.Dataset):
    """(the bytes of a file, the number of its class)."""

    def __init__(self, folder):
        self.classes = sorted(path for path in pathlib.Path(folder).iterdir() if path.is_dir())
        self.samples = [(path, number) for number, each in enumerate(self.classes)
                        for path in sorted(each.rglob("*")) if path.suffix.lower() in SUFFIXES]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, number = self.samples[index]
        return path.read_bytes(), number


def small_network(classes):
    return torch.nn.Sequential(
        torch.nn.BatchNorm2d(3, affine=False),  # normalises
        torch.nn.Conv2d(3, 16, 5, stride=4), torch.nn.ReLU(),
        torch.nn.Conv2d(16, 32, 3, stride=2), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(128, classes))


def train(folder, epochs=2, device="cpu"):
    """The mean loss of each epoch, and the share of the pictures that the network then knows."""
    torch.manual_seed(1)
    photographs = Photographs(folder)
    model = small_network(len(photographs.classes)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    loader = torch.utils.data.DataLoader(photographs, batch_size=4, shuffle=True, num_workers=2, collate_fn=collate)
    for_training = BatchDecoder(SIDE, crop=RandomResizedCrop(scale=(0.3, 1.0)), p=0.5, orientations=["flop"], device=device)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for images, numbers in for_training.batches(loader):
            loss = torch.nn.functional.cross_entropy(model(images), numbers.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / len(loader)
        losses.append(total)
    model.eval()
    for_validation = BatchDecoder(SIDE, crop=CenterCrop(SIDE, resized=SIDE), device=device)
    right = 0
    with torch.no_grad():
        for images, numbers in for_validation.batches(loader):
            right += (model(images).argmax(1).cpu() == numbers).sum().item()
    return losses, right / len(photographs)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="cpu, cuda or cuda:1")
    arguments.add_argument("folder")
    arguments.add_argument("epochs", nargs="?", type=int, default=2)
    asked = arguments.parse_args()
    losses, share = train(asked.folder, asked.epochs, asked.device)
    for number, loss in enumerate(losses):
        print(f"epoch {number}: loss {loss:.3f}")
    print(f"{share:.0%} of the pictures are known")
