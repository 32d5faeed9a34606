"""The menus "Make upright", "Turn right" and "Turn left" of Nautilus, for pictures and folders (python3-nautilus)."""

import subprocess

from gi.repository import GObject, Nautilus

OPERATIONS = {"upright": "Make upright", "rotate90": "Turn right", "rotate270": "Turn left"}


class QuarterturnMenu(GObject.GObject, Nautilus.MenuProvider):
    def get_file_items(self, *arguments):
        files = arguments[-1]  # before version 4 a window comes first
        if not files or not all(self.is_turned(file) for file in files):
            return []
        items = []
        for operation, label in OPERATIONS.items():
            item = Nautilus.MenuItem(name=f"Quarterturn::{operation}", label=label)
            item.connect("activate", self.turn, operation, [f.get_location().get_path() for f in files])
            items.append(item)
        return items

    def is_turned(self, file):
        return file.get_uri_scheme() == "file" and (file.is_directory() or file.get_mime_type().startswith("image/"))

    def turn(self, _item, operation, paths):
        subprocess.Popen(["/usr/share/qturn/turn-and-notify", operation, *paths])
