"""Custom resources, by the client for custom objects and by the dynamic client."""

from threading import Thread
from typing import Any

from kubernetes import client, watch
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.resource import Resource

from cluster import NAMESPACE, Cluster, failure


def gadget(cluster: Cluster, name: str, size: int) -> dict[str, Any]:
    return {
        "apiVersion": f"{cluster.group}/v1",
        "kind": "Gadget",
        "metadata": {"name": name},
        "spec": {"size": size},
    }


def use_custom_objects(cluster: Cluster) -> None:
    """Creates, reads, updates, patches and deletes; its status beside its spec."""
    custom = client.CustomObjectsApi(cluster.api)
    where = (cluster.group, "v1", NAMESPACE, "gadgets")
    made = custom.create_namespaced_custom_object(*where, gadget(cluster, "one", 2))
    cluster.saw(f"created of generation {made['metadata']['generation']}")
    wrong = gadget(cluster, "two", -1)
    cluster.saw(f"invalid: {failure(lambda: custom.create_namespaced_custom_object(*where, wrong))}")
    made["spec"]["size"] = 3
    replaced = custom.replace_namespaced_custom_object(*where, "one", made)
    cluster.saw(f"size {replaced['spec']['size']}, generation {replaced['metadata']['generation']}")
    cluster.saw(f"stale: {failure(lambda: custom.replace_namespaced_custom_object(*where, 'one', made))}")
    patched = custom.patch_namespaced_custom_object(*where, "one", {"spec": {"size": 4}})
    cluster.saw(f"patched to {patched['spec']}")
    ready = {"status": {"ready": True}}
    status = custom.patch_namespaced_custom_object_status(*where, "one", ready)
    cluster.saw(f"status {status['status']}, generation {status['metadata']['generation']}")
    custom.delete_namespaced_custom_object(*where, "one")
    cluster.saw(f"then {failure(lambda: custom.get_namespaced_custom_object(*where, 'one'))}")


def watch_custom_objects(cluster: Cluster) -> None:
    """Hears of custom resources from a version on."""
    custom = client.CustomObjectsApi(cluster.api)
    where = (cluster.group, "v1", NAMESPACE, "gadgets")
    version = custom.list_namespaced_custom_object(*where)["metadata"]["resourceVersion"]

    def change() -> None:
        custom.create_namespaced_custom_object(*where, gadget(cluster, "watched", 1))
        custom.patch_namespaced_custom_object(*where, "watched", {"spec": {"size": 2}})
        custom.delete_namespaced_custom_object(*where, "watched")

    changing = Thread(target=change)
    changing.start()
    stream = watch.Watch()
    listing = custom.list_namespaced_custom_object
    for event in stream.stream(listing, *where, resource_version=version, timeout_seconds=20):
        cluster.saw(f"{event['type']} {event['object']['metadata']['name']} {event['object']['spec']}")
        if event["type"] == "DELETED":
            stream.stop()
    changing.join()


def use_dynamic_objects(cluster: Cluster) -> None:
    """Finds the kind by discovery, then does the same again."""
    dynamic = DynamicClient(cluster.api)
    config_maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dynamic"}, "data": {"a": "1"}}
    config_maps.create(body=body, namespace=NAMESPACE)
    cluster.saw(f"read {config_maps.get(name='dynamic', namespace=NAMESPACE).data.to_dict()}")
    change = {"metadata": {"name": "dynamic"}, "data": {"b": "2"}}
    merged = config_maps.patch(body=change, namespace=NAMESPACE, content_type="application/merge-patch+json")
    cluster.saw(f"patched to {merged.data.to_dict()}")
    config_maps.delete(name="dynamic", namespace=NAMESPACE)
    cluster.saw(f"then {failure(lambda: config_maps.get(name='dynamic', namespace=NAMESPACE))}")
    gadgets = dynamic.resources.get(api_version=f"{cluster.group}/v1", kind="Gadget")
    cluster.saw(f"{gadgets.kind} is {gadgets.name}, namespaced: {gadgets.namespaced}, verbs {sorted(gadgets.verbs)}")
    apply_dynamic_objects(cluster, gadgets)
    for event in gadgets.watch(namespace=NAMESPACE, timeout=20):
        cluster.saw(f"watch begins with {event['type']} {event['object'].metadata.name}")
        break
    gadgets.delete(name="applied", namespace=NAMESPACE)


def apply_dynamic_objects(cluster: Cluster, gadgets: Resource) -> None:
    def apply(manager: str, size: int, force: bool = False) -> Any:
        body = gadget(cluster, "applied", size)
        return gadgets.server_side_apply(
            body=body, namespace=NAMESPACE, field_manager=manager, force_conflicts=force
        )

    applied = apply("alice", 5)
    cluster.saw(f"alice applies {applied.spec.to_dict()}, generation {applied.metadata.generation}")
    cluster.saw(f"bob applies: {failure(lambda: apply('bob', 6))}")
    forced = apply("bob", 6, force=True)
    managers = [(entry.manager, entry.operation) for entry in forced.metadata.managedFields]
    cluster.saw(f"bob forces {forced.spec.to_dict()}, managers {managers}")
