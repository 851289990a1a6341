#!/usr/bin/env python3
"""recipes.py SOURCE VERSION: recipes of packages have valid syntax, and all files that name the version name this one."""
import ast
import re
import sys
from pathlib import Path

source, version = Path(sys.argv[1]), sys.argv[2]
problems = []

# Where the version stands: a pattern whose first group is the version, and the first match counts.
VERSIONS = {
    "CITATION.cff": r"(?m)^version: (\S+)$",
    "debian/changelog": r"^scalay \(([0-9.]+)-",
    "docs/man/scalay-run.1": r'"ScaLAY ([0-9.]+)"',
    "packaging/conda/meta.yaml": r'(?m)^  version: "([0-9.]+)"$',
    "packaging/spack/package.py": r'    version\("([0-9.]+)"',
    "python/pyproject.toml": r'(?m)^version = "([0-9.]+)"$',
}
for name, pattern in VERSIONS.items():
    found = re.search(pattern, (source / name).read_text(encoding="utf-8"))
    if not found or found[1] != version:
        problems.append(f"{name}: version {found[1] if found else 'not found'}, expected {version}")

recipe = ast.parse((source / "packaging/spack/package.py").read_text(encoding="utf-8"))
classes = [node.name for node in recipe.body if isinstance(node, ast.ClassDef)]
if classes != ["Scalay"]:
    problems.append(f"packaging/spack/package.py: classes {classes}")

# Options that recipes set are options of the project.
options = set(re.findall(r"\b(SCALAY_[A-Z_0-9]+|SCALAPACK_LIBRARIES)\b", "".join(
    path.read_text(encoding="utf-8") for path in [source / "CMakeLists.txt", *source.glob("cmake/*"), *source.glob("python/*.txt")]
    if path.is_file())))
for name in ("packaging/spack/package.py", "packaging/conda/meta.yaml", "debian/rules"):
    used = set(re.findall(r"\b(SCALAY_[A-Z_0-9]+|SCALAPACK_LIBRARIES)\b", (source / name).read_text(encoding="utf-8")))
    problems += [f"{name}: there is no option {option}" for option in sorted(used - options)]

try:
    import yaml
except ImportError:
    print("PyYAML is missing: YAML files are not parsed")
else:
    for name in ("packaging/conda/meta.yaml", "CITATION.cff", ".github/ISSUE_TEMPLATE/config.yml"):
        if not isinstance(yaml.safe_load((source / name).read_text(encoding="utf-8")), dict):
            problems.append(f"{name}: no mapping")

print("\n".join(problems) or "recipes agree")
sys.exit(bool(problems))
