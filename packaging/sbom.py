#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bill of materials as SPDX 2.3 JSON: this project, the libraries that its packages are linked with, in the versions
that were there when they were built, and those that are in the wheel and in the static tool.

usage: sbom.py [--build FOLDER] VERSION [PRODUCT=FILE...]

FOLDER is that of the build; PRODUCT is the name of what has libraries in it, and FILE has a line "NAME<tab>VERSION" for each.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys

# As pkg-config calls them; licences as the README says.
LINKED = {
    "libcurl": ("curl", "curl"),
    "libcrypto": ("OpenSSL", "Apache-2.0"),
    "sqlite3": ("SQLite", "blessing"),
    "expat": ("Expat", "MIT"),
    "jansson": ("jansson", "MIT"),
}
LIBRARIES = {
    **LINKED,
    "libcares": ("c-ares", "MIT"),
    "glibc": ("GNU C Library", "LGPL-2.1-or-later"),
    "libgcc": ("libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1"),
}


def version_of(name):
    return subprocess.run(["pkg-config", "--modversion", name], check=True, text=True, capture_output=True).stdout.strip()


def package(spdx_id, name, version, licence):
    return {
        "SPDXID": spdx_id,
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }


def relation(from_id, kind, to_id):
    return {"spdxElementId": from_id, "relationshipType": kind, "relatedSpdxElement": to_id}


def has_libs3(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        return re.search(r"^OSCOMMIT_LIBS3\w*:\w+=.*libs3", cache.read(), re.MULTILINE) is not None


class Bill:
    def __init__(self, version):
        self.version = version
        self.packages = []
        self.relations = []

    def add(self, name, title, version, licence):
        spdx_id = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        self.packages.append(package(spdx_id, title, version, licence))
        return spdx_id

    def add_product(self, name, licence="Apache-2.0"):
        spdx_id = self.add(name, name, self.version, licence)
        self.relations.append(relation("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id))
        return spdx_id

    def add_built(self, build):
        """The packages of a system, whose libraries are the system's."""
        project = self.add_product("oscommit")
        for name, (title, licence) in LINKED.items():
            self.relations.append(relation(project, "DYNAMIC_LINK", self.add(name, title, version_of(name), licence)))
        if has_libs3(build):
            module = self.add_product("oscommit-sigv2", "GPL-3.0-or-later")
            libs3 = self.add("libs3", "libs3", "2.0", "GPL-3.0-or-later")
            self.relations.append(relation(module, "DYNAMIC_LINK", libs3))

    def add_bundle(self, product, path):
        """What has its libraries in it. One that is not known has no licence that was looked at: a KeyError."""
        project = self.add_product(product)
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                name, version = line.rstrip("\n").split("\t")
                title, licence = LIBRARIES[name]
                library = self.add(f"{product}-{name}", title, version, licence)
                self.relations.append(relation(project, "STATIC_LINK", library))

    def document(self):
        created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
        return {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"oscommit-{self.version}",
            "documentNamespace": f"urn:oscommit:{self.version}:{int(created.timestamp())}",
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/sbom.py"]},
            "packages": self.packages,
            "relationships": self.relations,
        }


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("version")
    arguments.add_argument("--build")
    arguments.add_argument("bundles", nargs="*", metavar="PRODUCT=FILE")
    options = arguments.parse_args()
    bill = Bill(options.version)
    if options.build:
        bill.add_built(options.build)
    for bundle in options.bundles:
        bill.add_bundle(*bundle.split("=", 1))
    json.dump(bill.document(), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
