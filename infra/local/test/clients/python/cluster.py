"""What each part has: a client of one server, and where to print."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kubernetes.client import ApiClient
from kubernetes.client.rest import ApiException
from kubernetes.dynamic.exceptions import DynamicApiError

NAMESPACE = "clients-python"


@dataclass
class Cluster:
    api: ApiClient
    group: str
    part: str = ""

    def saw(self, line: str) -> None:
        """Prints what the running part found: no times, uids or resourceVersions."""
        print(f"{self.part}: {line}", flush=True)


def failure(call: Callable[[], Any]) -> str:
    """How the server refuses a call; one that it takes is an error."""
    try:
        call()
    except (ApiException, DynamicApiError) as error:
        body = json.loads(error.body)
        return f"{error.status} {body['reason']}: {body['message']}"
    raise AssertionError("the server took what it should refuse")
