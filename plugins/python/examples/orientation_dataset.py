"""Teaches a small network to see which way up a photograph is.

  orientation_dataset.py FOLDER [EPOCHS]

Every JPEG comes in all eight orientations. It is turned as a file, without loss, so the network cannot learn the traces of a
second compression. The pictures of a batch become the network's input in one pass, on the GPU if there is one.
"""
import io
import pathlib
import sys

import numpy
import PIL.Image
import torch

import qturn

SIDE = 128
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class TurnedPhotographs(torch.utils.data.Dataset):
    """(SIDE x SIDE x 3 bytes, the place of the orientation among the eight), of each JPEG and each orientation."""

    orientations = list(qturn.Orientation)

    def __init__(self, folder):
        self.files = sorted(pathlib.Path(folder).rglob("*.jpg"))

    def __len__(self):
        return len(self.files) * len(self.orientations)

    def turned(self, index):
        file, place = divmod(index, len(self.orientations))
        # An edge of less than a block would force a compression: it is cut off instead.
        return qturn.turn(self.files[file].read_bytes(), self.orientations[place], edges="trim"), place

    def __getitem__(self, index):
        turned, place = self.turned(index)
        picture = PIL.Image.open(io.BytesIO(turned.bytes)).convert("RGB")
        left, top = (picture.width - SIDE) // 2, (picture.height - SIDE) // 2
        return numpy.array(picture.crop((left, top, left + SIDE, top + SIDE))), place


def batch(samples):
    """Bytes stay bytes until they are on the device: a quarter of what floats would be."""
    pictures, places = zip(*samples)
    return torch.from_numpy(numpy.stack(pictures)), torch.tensor(places)


def train(folder, epochs=1, device="cuda" if torch.cuda.is_available() else "cpu"):
    """The mean loss of each epoch."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 5, stride=4), torch.nn.ReLU(),
        torch.nn.Conv2d(16, 32, 3, stride=2), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(512, 8)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    loader = torch.utils.data.DataLoader(TurnedPhotographs(folder), batch_size=16, shuffle=True, collate_fn=batch)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for pictures, places in loader:
            planes = qturn.to_planar(pictures.to(device), mean=MEAN, std=STD)  # N x 3 x SIDE x SIDE
            loss = torch.nn.functional.cross_entropy(model(planes), places.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / len(loader)
        losses.append(total)
    return losses


if __name__ == "__main__":
    for number, loss in enumerate(train(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)):
        print(f"epoch {number}: loss {loss:.3f}")
