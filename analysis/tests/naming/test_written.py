"""Names in the form in which their authors wrote them."""

import pytest
from poolscope.naming import written

CASES = {
    # Async methods and iterators.
    "Shop.Orders.OrderController+<Get>d__3.MoveNext": "Shop.Orders.OrderController.Get",
    "Shop.Orders.OrderController.<Get>d__3.MoveNext": "Shop.Orders.OrderController.Get",
    "Shop.Cache`1+<Load>d__2[System.__Canon].MoveNext": "Shop.Cache<T>.Load",
    "Shop.Cache+<Load>d__2`1[System.__Canon].MoveNext": "Shop.Cache.Load",
    # A state machine as a type argument of the box around it.
    "System.Builder`1+Box`1[System.Int32,Shop.Cache`1+<Load>d__2[System.__Canon]].MoveNext": (
        "System.Builder<Int32>.Box<Cache<T>.<Load>d__2>.MoveNext"
    ),
    # Lambdas, with and without captured variables, also async.
    "Shop.Import+<>c__DisplayClass3_0.<Run>b__1": "Shop.Import.Run (lambda)",
    "Shop.Import+<>c.<Run>b__0_0": "Shop.Import.Run (lambda)",
    "Shop.Import.<Run>b__3_0": "Shop.Import.Run (lambda)",
    "Shop.Import+<>c__DisplayClass0_0+<<Run>b__1>d.MoveNext": "Shop.Import.Run (lambda)",
    "Shop.Import+<>c__DisplayClass0_0.<<Run>g__Poll|0>b__3": "Shop.Import.Run (lambda)",
    "Shop.Argument`1+<>c__DisplayClass8_0[System.Nullable`1[System.Int32]].<Parse>b__0": "Shop.Argument<Nullable<Int32>>.Parse (lambda)",
    # Local functions.
    "Program.<Main>g__Poll|0_1": "Program.Main.Poll",
    "Shop.Import+<>c__DisplayClass1_0.<Run>g__Poll|2": "Shop.Import.Run.Poll",
    "Shop.Import+<<Run>g__Poll|0_0>d.MoveNext": "Shop.Import.Run.Poll",
    # Top-level statements.
    "Program.<Main>$": "Program.Main",
    "Program+<<Main>$>d__0.MoveNext": "Program.Main",
    "Program.<<Main>$>g__Poll|0_1": "Program.Main.Poll",
    "Program+<>c.<<Main>$>b__0_0": "Program.Main (lambda)",
    "Program+<>c+<<<Main>$>b__0_0>d.MoveNext": "Program.Main (lambda)",
    "Program+<<<Main>$>g__Poll|0_1>d.MoveNext": "Program.Main.Poll",
    # Generic types, nested types, constructors.
    "Shop.Cache`1[System.Int32].Add": "Shop.Cache<Int32>.Add",
    "Shop.Cache`2[System.__Canon,System.__Canon].Get": "Shop.Cache<T1,T2>.Get",
    "Shop.Outer`1+Inner`1[System.Int32,System.String].Get": "Shop.Outer<Int32>.Inner<String>.Get",
    "Shop.Pair`2[System.ValueTuple`2[System.Int32,System.__Canon],Shop.Kind].Get": "Shop.Pair<ValueTuple<Int32,T2>,Kind>.Get",
    "Shop.Outer+Inner.Get": "Shop.Outer.Inner.Get",
    "Shop.Import..ctor": "Shop.Import (constructor)",
    "Shop.Import..cctor": "Shop.Import (static constructor)",
    "Shop.Bag.System.Collections.IEnumerable.GetEnumerator": "Shop.Bag.System.Collections.IEnumerable.GetEnumerator",
}


@pytest.mark.parametrize(("raw", "name"), CASES.items())
def test_a_method_is_called_as_its_author_wrote_it(raw, name):
    assert written(raw) == name


@pytest.mark.parametrize("name", sorted(set(CASES.values())))
def test_a_written_name_stays_as_it_is(name):
    assert written(name) == name


@pytest.mark.parametrize("odd", ["", "malloc", "[x]", "<", ">", "`", "a`b[", "]a`1[", "..", "<>c", "+", "<Module>.F"])
def test_odd_names_do_no_harm(odd):
    assert isinstance(written(odd), str)
