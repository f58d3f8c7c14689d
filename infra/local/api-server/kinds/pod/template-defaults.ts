import { put } from '../../json/own.ts';
import {
  ensureObject,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '../../json/value.ts';
import { roundedUp } from '../../objects/quantity.ts';

/** Adds the defaults that decoding gives a pod template, its containers and volumes. */
export function defaultPodTemplate(template: JsonObject): void {
  defaultPodSpec(ensureObject(template, 'spec'));
}

export function defaultPodSpec(spec: JsonObject): void {
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setDefault(spec, 'securityContext', {});
  setDefault(spec, 'schedulerName', 'default-scheduler');
  defaultServiceAccount(spec);
  const containers = [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')];
  for (const container of containers) defaultContainer(container);
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
}

// The deprecated field always equals the current field.
function defaultServiceAccount(spec: JsonObject): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function defaultContainer(container: JsonObject): void {
  setDefault(container, 'resources', {});
  setDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setDefault(container, 'terminationMessagePolicy', 'File');
  setDefault(container, 'imagePullPolicy', pullPolicy(textAt(container, 'image')));
  roundResources(objectAt(container, 'resources'));
  for (const port of objectsAt(container, 'ports')) setDefault(port, 'protocol', 'TCP');
  for (const variable of objectsAt(container, 'env')) defaultField(objectAt(variable, 'valueFrom'));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[name];
    if (isObject(probe)) defaultProbe(probe);
  }
  const lifecycle = objectAt(container, 'lifecycle');
  for (const hook of ['preStop', 'postStart']) defaultHttpGet(objectAt(lifecycle, hook));
}

function defaultField({ fieldRef }: JsonObject): void {
  if (isObject(fieldRef)) setDefault(fieldRef, 'apiVersion', 'v1');
}

function defaultFiles(source: JsonObject): void {
  for (const file of objectsAt(source, 'items')) defaultField(file);
}

const thousandths = -3;

/** Rounds amounts of resources to thousandths. */
export function roundResources(resources: JsonObject): void {
  for (const amounts of [objectAt(resources, 'requests'), objectAt(resources, 'limits')]) {
    for (const [name, amount] of Object.entries(amounts)) {
      if (typeof amount === 'string') put(amounts, name, roundedUp(amount, thousandths));
    }
  }
}

/** In a pod, though not in a template, a limit without a request also becomes the request. */
export function defaultRequests(spec: JsonObject): void {
  for (const container of [
    ...objectsAt(spec, 'initContainers'),
    ...objectsAt(spec, 'containers'),
  ]) {
    requestLimits(objectAt(container, 'resources'));
  }
}

function requestLimits(resources: JsonObject): void {
  if (!isObject(resources.limits)) return;
  const requests = ensureObject(resources, 'requests');
  for (const [name, quantity] of Object.entries(resources.limits))
    setDefault(requests, name, quantity);
}

/** Returns `Always` for an image with the tag latest, or without tag and digest. */
export function pullPolicy(image: string): string {
  return movingTag.test(image) ? 'Always' : 'IfNotPresent';
}

const hostPartPattern = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const hostPattern = `(?:${hostPartPattern}(?:\\.${hostPartPattern})*|\\[[A-Fa-f0-9:]+\\])(?::\\d+)?`;
const partPattern = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const digestPattern = '@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[A-Fa-f0-9]{32,}';

/** Does not match a name that is no valid image reference. */
const movingTag = new RegExp(
  `^(?![a-f0-9]{64}$)(?:${hostPattern}/)?${partPattern}(?:/${partPattern})*(?::latest(?:${digestPattern})?)?$`,
);

function defaultProbe(probe: JsonObject): void {
  setDefault(probe, 'timeoutSeconds', 1);
  setDefault(probe, 'periodSeconds', 10);
  setDefault(probe, 'successThreshold', 1);
  setDefault(probe, 'failureThreshold', 3);
  defaultHttpGet(probe);
  if (isObject(probe.grpc)) setDefault(probe.grpc, 'service', '');
}

function defaultHttpGet(handler: JsonObject): void {
  if (!isObject(handler.httpGet)) return;
  setDefault(handler.httpGet, 'path', '/');
  setDefault(handler.httpGet, 'scheme', 'HTTP');
}

function defaultVolume(volume: JsonObject): void {
  for (const source of ['secret', 'configMap', 'projected', 'downwardAPI']) {
    const value = volume[source];
    if (isObject(value)) setDefault(value, 'defaultMode', 420);
  }
  defaultFiles(objectAt(volume, 'downwardAPI'));
  for (const source of objectsAt(objectAt(volume, 'projected'), 'sources')) {
    defaultFiles(objectAt(source, 'downwardAPI'));
    if (isObject(source.serviceAccountToken)) {
      setDefault(source.serviceAccountToken, 'expirationSeconds', 3600);
    }
  }
  if (isObject(volume.hostPath)) setDefault(volume.hostPath, 'type', '');
  const known = Object.keys(volume).some((key) => key !== 'name');
  if (!known) volume.emptyDir = {};
}
