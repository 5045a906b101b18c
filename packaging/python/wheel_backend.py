# SPDX-License-Identifier: MIT
"""A wheel of what the build has put together, for pip (PEP 517), without another tool: the library is compiled, so that
the wheel is for this kind of machine alone."""
import base64
import hashlib
import pathlib
import re
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).parent


def _project():
    text = (HERE / "pyproject.toml").read_text()
    return {name: re.search(rf'^{name} = "(.*)"$', text, re.M).group(1) for name in
            ("name", "version", "description", "requires-python")}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    base = f"{project['name']}-{project['version']}"
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"{base}.dist-info"
    files = {f"heed/{path.name}": path.read_bytes() for path in sorted((HERE / "heed").iterdir()) if path.is_file()}
    if not any(".so" in name for name in files) or "heed/_declarations.py" not in files:
        raise SystemExit("heed: this folder has not been built: cmake --build <build folder> --target heed_python")
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        f"Summary: {project['description']}\nRequires-Python: {project['requires-python']}\nRequires-Dist: numpy\n"
        f"License: MIT\nDescription-Content-Type: text/markdown\n\n{(HERE / 'README.md').read_text()}").encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: heed\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    name = f"{base}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
            wheel.writestr(path, content)
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name
