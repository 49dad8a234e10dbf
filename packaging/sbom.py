#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of a build, as SPDX 2.3 JSON: this project, and the libraries that it is linked with, in the
versions that were there when it was built.

usage: sbom.py VERSION BUILD-FOLDER
"""

import datetime
import json
import os
import re
import subprocess
import sys

# As pkg-config calls them; licences as the README says.
LIBRARIES = {
    "libcurl": ("curl", "curl"),
    "libcrypto": ("OpenSSL", "Apache-2.0"),
    "sqlite3": ("SQLite", "blessing"),
    "expat": ("Expat", "MIT"),
    "jansson": ("jansson", "MIT"),
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


def main():
    version, build = sys.argv[1:]
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    packages = [package("SPDXRef-oscommit", "oscommit", version, "Apache-2.0")]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-oscommit")]
    for name, (title, licence) in LIBRARIES.items():
        spdx_id = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        packages.append(package(spdx_id, title, version_of(name), licence))
        relations.append(relation("SPDXRef-oscommit", "DYNAMIC_LINK", spdx_id))
    if has_libs3(build):
        packages.append(package("SPDXRef-oscommit-sigv2", "oscommit-sigv2", version, "GPL-3.0-or-later"))
        packages.append(package("SPDXRef-libs3", "libs3", "2.0", "GPL-3.0-or-later"))
        relations.append(relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-oscommit-sigv2"))
        relations.append(relation("SPDXRef-oscommit-sigv2", "DYNAMIC_LINK", "SPDXRef-libs3"))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"oscommit-{version}",
        "documentNamespace": f"urn:oscommit:{version}:{int(created.timestamp())}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/sbom.py"]},
        "packages": packages,
        "relationships": relations,
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
