# SPDX-License-Identifier: Apache-2.0
"""Models as classes: what their annotations and Meta say."""

from typing import Any, ClassVar, Literal, Optional

import oscommit
import pytest
from oscommit import InvalidFieldError
from oscommit.models import Index, Key, Model, _schema_of, field, key, sort_key


class Everything(Model):
    kind: ClassVar[str] = "not a field"
    shop: str = key(min_length=1)
    number: int = sort_key()
    price: float = field(minimum=0, maximum=1e6)
    name: Optional[str] = field(max_length=5, pattern="^[a-z]*$")
    paid: bool = False
    state: Literal["new", "sent"] = "new"
    tags: list[str] = field(default=[], max_items=3)
    more: Optional[dict[str, Any]] = None
    maker: Optional[str] = field(read_only=True)
    until: Optional[int] = None
    key_: Optional[str] = field(name="key")

    class Meta:
        table = "orders"
        title = "Order"
        expire = "until"
        indexes = {
            "byState": Index(key=["state"], sort_key=["price"]),
            "byName": Index(key=["name", "key_"], include_only=["paid"], sparse=True),
        }
        index_include_keys = True


def test_annotations_are_a_schema():
    assert _schema_of(Everything, vars(Everything.Meta)) == {
        "title": "Order",
        "type": "object",
        "properties": {
            "shop": {"type": "string", "minLength": 1},
            "number": {"type": "integer"},
            "price": {"type": "number", "minimum": 0, "maximum": 1e6},
            "name": {"type": "string", "maxLength": 5, "pattern": "^[a-z]*$"},
            "paid": {"type": "boolean", "default": False},
            "state": {"type": "string", "enum": ["new", "sent"], "default": "new"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "default": []},
            "more": {"type": "object", "additionalProperties": True},
            "maker": {"type": "string", "readOnly": True},
            "until": {"type": "integer"},
            "key": {"type": "string"},
        },
        "required": ["shop", "number", "price", "paid", "state", "tags"],
        "KEY": ["shop"],
        "SORT_KEY": ["number"],
        "INDEXES": {
            "byState": {"KEY": ["state"], "SORT_KEY": ["price"], "SPARSE": False},
            "byName": {"KEY": ["name", "key"], "INCLUDE_ONLY": ["paid"], "SPARSE": True},
        },
        "EXPIRE_EPOCH_FIELD": "until",
        "INDEX_INCLUDE_KEYS": True,
    }


def test_a_table_is_a_resource_of_a_template():
    class Place(Model):
        id: str = key()
        seen: int

        class Meta:
            table = "places"
            expire = "seen"

    resource = Place.table_resource()
    assert resource["Type"] == "AWS::DynamoDB::Table"
    assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    assert resource["Properties"] == {
        "TableName": "places",
        "AttributeDefinitions": [{"AttributeName": "_id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "_id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "seen"},
    }

    class Nowhere(Model):
        id: str = key()

        class Meta:
            table = "a b"

    with pytest.raises(InvalidFieldError, match="DynamoDB table"):
        Nowhere.table_resource()


def test_a_key_has_its_parts_in_order_or_by_name():
    wanted = Key(Everything, {"shop": "north", "number": 7})
    assert Everything.key("north", 7) == Everything.key("north", number=7) == wanted
    with pytest.raises(TypeError, match="2 parts: shop, number"):
        Everything.key("north", 7, 8)


def test_all_types_come_back_as_they_went(tables):
    class Order(Everything):
        class Meta:
            table = f"orders-{id(tables)}"
            expire = "until"

    def write(tx):
        row = tx.create(Order, shop="north", number=7, price=3, more={"a": [1, {"b": None}]}, key_="k", maker="us")
        row.name = "abc"

    def read(tx):
        row = tx.get(Order, ("north", 7))
        assert type(row.price) is float and type(row.number) is int and row.until is None
        assert repr(row) == "Order(shop='north', number=7)"
        row.name, row.price, row.tags = None, 4.25, [*row.tags, "t"]
        return row.as_dict()

    tables.table(Order, create=True)
    tables.table(Order)
    tables.transact(write)
    expected = {"shop": "north", "number": 7, "price": 4.25, "paid": False, "state": "new", "tags": ["t"]}
    expected.update(more={"a": [1, {"b": None}]}, key_="k", maker="us")
    assert tables.transact(read) == expected
    assert tables.transact(lambda tx: tx.get(Order.key("north", 7)).as_dict()) == expected


@pytest.mark.parametrize(
    "name, value, why",
    [
        ("price", -1, "minimum"),
        ("price", "much", "price"),
        ("name", "longer", "5"),
        ("name", "UP", "pattern"),
        ("state", "lost", "state"),
        ("paid", None, "required"),
        ("tags", ["a", "b", "c", "d"], "3"),
        ("maker", "them", "read-only"),
        ("shop", "south", "does not change"),
    ],
)
def test_a_value_that_cannot_be(tmp_path, name, value, why):
    class Order(Everything):
        pass

    with oscommit.Client.from_url(f"sqlite://{tmp_path}/tables.db") as client:
        client.table(Order, create=True)

        def set_it(tx):
            row = tx.create(Order, shop="north", number=7, price=3, maker="us")
            before = getattr(row, name)
            with pytest.raises(InvalidFieldError, match=why) as caught:
                setattr(row, name, value)
            assert isinstance(caught.value, ValueError) and getattr(row, name) == before

        client.transact(set_it)
        with pytest.raises(InvalidFieldError, match='no field "prise". Did you mean "price"'):
            client.transact(lambda tx: tx.create(Order, shop="north", number=8, prise=3))
        with pytest.raises(AttributeError, match='no field "prise". Did you mean "price"'):
            client.transact(lambda tx: setattr(tx.get(Order, ("north", 7)), "prise", 3))
        with pytest.raises(InvalidFieldError, match="Order.price: the value is no JSON"):
            client.transact(lambda tx: setattr(tx.get(Order, ("north", 7)), "price", float("nan")))
        with pytest.raises(InvalidFieldError, match="Order.name: the value is no JSON"):
            client.transact(lambda tx: setattr(tx.get(Order, ("north", 7)), "name", b"n"))
        with pytest.raises(InvalidFieldError, match="Order.name: the value is no JSON"):
            client.transact(lambda tx: tx.create(Order, shop="north", number=8, price=3, name=b"n"))
        with pytest.raises(InvalidFieldError, match="Order.key_: the value is no JSON"):
            client.transact(lambda tx: tx.update(Order, {"shop": "north", "number": 7}, {"key_": float("nan")}))


def make(annotation, value=None, meta=None):
    members = {"__annotations__": {"id": str, "x": annotation}, "id": key(), "x": value}
    return type("Made", (Model,), {**members, **({"Meta": type("Meta", (), meta)} if meta else {})})


@pytest.mark.parametrize(
    "annotation, value, meta, kind, why",
    [
        (set, None, None, TypeError, "Made.x is of a type that no field has"),
        (Literal["a", 1], "a", None, TypeError, "Made.x is of a type that no field has"),
        (int, None, None, TypeError, "default None, and is not Optional"),
        (int, "five", None, InvalidFieldError, "Made.x"),
        (int, 5, {"tabel": "t"}, TypeError, '"tabel", which is not known. Did you mean "table"'),
        (int, 5, {"indexes": {"byX": Index(key=["y"])}}, InvalidFieldError, '"y" stands in the KEY of an index'),
        (int, 5, {"expire": "y"}, InvalidFieldError, "EXPIRE_EPOCH_FIELD"),
        (int, 5, {"indexes": {"byX": {"key": ["x"]}}}, TypeError, 'index "byX" of Made is no Index'),
    ],
)
def test_a_class_that_is_no_model(annotation, value, meta, kind, why):
    with pytest.raises(kind, match=why):
        make(annotation, value, meta)


def test_an_index_has_lists_of_names():
    with pytest.raises(TypeError, match=r'key=\["owner"\]'):
        Index(key="owner")
    with pytest.raises(TypeError, match=r'include_only=\["owner"\]'):
        Index(key=["x"], include_only="owner")


def test_a_field_has_a_type():
    with pytest.raises(TypeError, match="Made.id has no type. Write one, such as id: str"):
        type("Made", (Model,), {"id": key()})


def test_names_that_a_row_has_are_no_fields():
    with pytest.raises(TypeError, match=r'Choose another, and give this one to the table: field\(name="is_new"\)'):
        type("Made", (Model,), {"__annotations__": {"id": str, "is_new": bool}, "id": key(), "is_new": False})
    with pytest.raises(TypeError, match='no rule "minumum". Did you mean "minimum"'):
        field(minumum=3)


def test_a_row_is_made_in_a_transaction():
    for make_one in Everything, lambda: Everything(shop="north"), lambda: Everything("north", 7):
        with pytest.raises(TypeError, match=r"comes from a transaction: tx.create\(Everything, \.\.\.\)"):
            make_one()


def test_a_table_is_that_of_a_model(tmp_path):
    with oscommit.Client.from_url(f"sqlite://{tmp_path}/tables.db") as client:
        steps = [
            lambda: client.table("Everything", create=True),
            lambda: client.gc_staged("Intents"),
            lambda: client.transact(lambda tx: tx.create("Everything", shop="north")),
        ]
        for step in steps:
            with pytest.raises(TypeError, match=r"a model, which is a class, .*: '\w+' is none"):
                step()


def test_a_derived_class_may_have_another_type():
    class Base(Model):
        id: str = key()
        state: Literal["new", "sent"]
        price: float = field(minimum=0)

    class Derived(Base):
        id: int  # type: ignore[assignment]
        state: str  # type: ignore[assignment]
        price: Optional[int]  # type: ignore[assignment]

    schema = _schema_of(Derived, {})
    assert schema["properties"] == {
        "id": {"type": "integer"},
        "state": {"type": "string"},
        "price": {"type": "integer", "minimum": 0},
    }
    assert schema["required"] == ["id", "state"]


def test_a_meta_that_derives_has_what_its_base_has():
    class Base(Model):
        id: str = key()
        until: int

        class Meta:
            table = "base"
            expire = "until"

    class Derived(Base):
        class Meta(Base.Meta):
            title = "Other"

    resource = Derived.table_resource()["Properties"]
    assert resource["TableName"] == "base"
    assert resource["TimeToLiveSpecification"] == {"Enabled": True, "AttributeName": "until"}


def test_two_attributes_are_not_one_field():
    members = {"__annotations__": {"id": str, "balance": int, "sum": int}, "id": key(), "sum": field(name="balance")}
    with pytest.raises(TypeError, match='Made.balance and Made.sum are one field of the table, "balance"'):
        type("Made", (Model,), members)


def test_a_class_without_a_key_is_a_base(tmp_path):
    class Base(Model):
        note: Optional[str] = None

    class Derived(Base):
        id: str = key()

    with oscommit.Client.from_url(f"sqlite://{tmp_path}/tables.db") as client:
        client.table(Derived, create=True)
        assert client.transact(lambda tx: tx.create(Derived, id="a", note="n").note) == "n"
        with pytest.raises(TypeError, match="Base has no key"):
            client.table(Base)
    with pytest.raises(TypeError, match=r"tx.create\(Derived"):
        Derived()
