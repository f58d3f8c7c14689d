"""Uses an API server as operators written in Python do, and prints what it saw.

What it prints is the same for the same behaviour. It exits with 1 when a part failed, naming it,
and takes away what it made.
"""

import json
import sys
import traceback
from pathlib import Path

from kubernetes import client, config

from cluster import NAMESPACE, Cluster
from custom import use_custom_objects, use_dynamic_objects, watch_custom_objects
from typed import await_served, page_through_lists, use_typed_objects, watch_typed_objects

PARTS = {
    "typed objects": use_typed_objects,
    "lists": page_through_lists,
    "typed watch": watch_typed_objects,
    "custom objects": use_custom_objects,
    "custom watch": watch_custom_objects,
    "dynamic client": use_dynamic_objects,
}


def main(kubeconfig: str) -> int:
    definition = json.loads((Path(__file__).parent / "definition.json").read_text())
    cluster = Cluster(config.new_client_from_config(kubeconfig), definition["spec"]["group"])
    core = client.CoreV1Api(cluster.api)
    custom = client.CustomObjectsApi(cluster.api)
    definitions = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    try:
        custom.create_cluster_custom_object(*definitions, definition)
        await_served(cluster, seconds=20)
        return 1 if sum(not succeeds(cluster, part) for part in PARTS) else 0
    finally:
        custom.delete_cluster_custom_object(*definitions, definition["metadata"]["name"])
        core.delete_namespace(NAMESPACE)


def succeeds(cluster: Cluster, part: str) -> bool:
    cluster.part = part
    try:
        PARTS[part](cluster)
    except Exception:  # whatever went wrong, the other parts still tell something
        print(f"{part} failed:\n{traceback.format_exc()}", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
