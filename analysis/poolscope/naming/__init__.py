"""Names of code as its authors know them: whose a method is, how it is written, and which call blocked."""

from poolscope.naming.choice import own_index
from poolscope.naming.ownership import OwnCode, is_user, name_own
from poolscope.naming.written import written

__all__ = ["OwnCode", "is_user", "name_own", "own_index", "written"]
