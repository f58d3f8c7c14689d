"""Built-in kinds and definitions, by the client's own classes."""

from threading import Thread
from time import monotonic, sleep

from kubernetes import client, watch
from kubernetes.client.rest import ApiException

from cluster import NAMESPACE, Cluster, failure


def deployment() -> client.V1Deployment:
    labels = {"app": "web"}
    container = client.V1Container(name="web", image="web:1")
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name="web"),
        spec=client.V1DeploymentSpec(
            replicas=0,
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels),
                spec=client.V1PodSpec(containers=[container]),
            ),
        ),
    )


def use_typed_objects(cluster: Cluster) -> None:
    """Creates, reads, updates, patches and deletes; a stale update is refused."""
    apps = client.AppsV1Api(cluster.api)
    made = apps.create_namespaced_deployment(NAMESPACE, deployment())
    cluster.saw(f"created of generation {made.metadata.generation}, surge {made.spec.strategy.rolling_update.max_surge}")
    cluster.saw(f"again: {failure(lambda: apps.create_namespaced_deployment(NAMESPACE, deployment()))}")
    stale = apps.read_namespaced_deployment("web", NAMESPACE)
    made.metadata.labels = {"changed": "yes"}
    made = apps.replace_namespaced_deployment("web", NAMESPACE, made)
    cluster.saw(f"labels {made.metadata.labels}, generation {made.metadata.generation}")
    cluster.saw(f"stale: {failure(lambda: apps.replace_namespaced_deployment('web', NAMESPACE, stale))}")
    side = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "side:1"}]}}}}
    made = apps.patch_namespaced_deployment("web", NAMESPACE, side)
    cluster.saw(f"containers {[one.name for one in made.spec.template.spec.containers]}")
    scale = apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 2}})
    cluster.saw(f"scaled to {scale.spec.replicas}, selector {scale.status.selector}")
    background = client.V1DeleteOptions(propagation_policy="Background")
    gone = apps.delete_namespaced_deployment("web", NAMESPACE, body=background)
    cluster.saw(f"deleted: {gone.status}; then {failure(lambda: apps.read_namespaced_deployment('web', NAMESPACE))}")


def page_through_lists(cluster: Cluster) -> None:
    """Reads a list in pages of one version."""
    core = client.CoreV1Api(cluster.api)
    for at in range(5):
        labels = {"of": "pages"}
        meta = client.V1ObjectMeta(name=f"page-{at}", labels=labels)
        core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=meta, data={"at": str(at)}))
    token, versions = None, set()
    while token != "":
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="of=pages", limit=2, _continue=token)
        versions.add(page.metadata.resource_version)
        cluster.saw(f"page of {[item.metadata.name for item in page.items]}")
        token = page.metadata._continue or ""
    cluster.saw(f"all pages of one version: {len(versions) == 1}")
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="of=pages")


def watch_typed_objects(cluster: Cluster) -> None:
    """Hears of changes as objects of the client's classes, from now on and from a version on."""
    core = client.CoreV1Api(cluster.api)
    version = core.list_namespaced_secret(NAMESPACE).metadata.resource_version

    def change() -> None:
        meta = client.V1ObjectMeta(name="watched")
        core.create_namespaced_secret(NAMESPACE, client.V1Secret(metadata=meta, string_data={"a": "1"}))
        core.patch_namespaced_secret("watched", NAMESPACE, {"stringData": {"b": "2"}})
        core.delete_namespaced_secret("watched", NAMESPACE)

    changing = Thread(target=change)
    changing.start()
    stream = watch.Watch()
    events = stream.stream(core.list_namespaced_secret, NAMESPACE, resource_version=version, timeout_seconds=20)
    for event in events:
        cluster.saw(f"{event['type']} {event['object'].metadata.name} {sorted(event['object'].data)}")
        if event["type"] == "DELETED":
            stream.stop()
    changing.join()


def await_served(cluster: Cluster, seconds: float) -> None:
    """Waits until the kind of this program's definition is served."""
    custom = client.CustomObjectsApi(cluster.api)
    limit = monotonic() + seconds
    while True:
        try:
            custom.list_namespaced_custom_object(cluster.group, "v1", NAMESPACE, "gadgets")
            return
        except ApiException:
            if monotonic() > limit:
                raise
            sleep(0.05)
