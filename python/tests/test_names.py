# SPDX-License-Identifier: Apache-2.0
"""What is said of a name that is not known, and of a package that is not there."""

import subprocess
import sys

import oscommit
import pytest
from oscommit.exceptions import UnknownConfigurationKeyError
from oscommit.iceberg import PointerCatalog


def said(**options):
    with pytest.raises(UnknownConfigurationKeyError) as caught:
        oscommit.Store.from_url("s3://bucket", **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "name, meant",
    [
        ("legder", "ledger"),
        ("ledger_uri", "ledger_url"),
        ("s3_endpiont", "s3_endpoint"),
        ("secret_acces_key", "secret_access_key"),
        ("sec", None),
        ("misspelt", None),
    ],
)
def test_an_option_that_is_not_known(name, meant):
    message = said(**{name: "a secret"})
    assert message.startswith(f'There is no option "{name}".') and "ledger_url, " in message
    assert (f' Did you mean "{meant}"? ' in message) if meant else ("Did you mean" not in message)
    assert "a secret" not in message


@pytest.mark.parametrize(
    "name, meant",
    [
        ("ledger", "oscommit.ledger"),
        ("guard", "oscommit.guard"),
        ("deadline_s", "oscommit.deadline_s"),
        ("dynamodb_endpoint", "oscommit.dynamodb_endpoint"),
        ("s3.endpont", "s3.endpoint"),
        ("s3.acces-key-id", "s3.access-key-id"),
        ("warehose", "warehouse"),
        ("xyz", None),
    ],
)
def test_a_property_that_a_catalog_does_not_know(tmp_path, name, meant):
    oscommit.init(str(tmp_path))
    with pytest.raises(UnknownConfigurationKeyError) as caught:
        PointerCatalog("lake", warehouse=tmp_path.as_uri(), **{name: "a secret"})
    message = str(caught.value)
    assert f'no property "{name}"' in message and "Nothing was sent" in message and "a secret" not in message
    assert (f'Did you mean "{meant}"?' in message) if meant else ("Did you mean" not in message)


def test_properties_that_others_know_are_let_through(tmp_path):
    oscommit.init(str(tmp_path))
    own = {"py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO", "s3.of-my-own": "1"}
    for more in ({"s3.connect-timeout": "5"}, {"header.X-Trace": "1"}, {"gcs.project-id": "p"}, own):
        PointerCatalog("lake", warehouse=tmp_path.as_uri(), **more).close()


@pytest.mark.parametrize(
    "part, module, package",
    [("iceberg", "pyiceberg", "pyiceberg[pyarrow]"), ("lance", "lance_namespace", "pylance"), ("fsspec", "fsspec", "fsspec")],
)
def test_a_package_that_is_not_installed(part, module, package):
    program = f"import sys; sys.modules[{module!r}] = None; import oscommit; import oscommit.{part}"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: This part of oscommit needs the package {package}, which is not installed: "
        f'python3 -m pip install "{package}". The rest of oscommit works without it.'
    )
