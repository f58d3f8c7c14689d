import {
  ensureMap,
  isMap,
  type JsonMap,
  mapAt,
  mapsAt,
  setDefault,
  textAt,
} from '../objects/object.ts';
import { put } from '../objects/own.ts';
import { roundedUp } from '../schema/quantity-form.ts';

/** What decoding fills into a pod template: the defaults of pods, containers and volumes. */
export const defaultPodTemplate = (template: JsonMap): void => {
  defaultPodSpec(ensureMap(template, 'spec'));
};

export const defaultPodSpec = (spec: JsonMap): void => {
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setDefault(spec, 'securityContext', {});
  setDefault(spec, 'schedulerName', 'default-scheduler');
  defaultServiceAccount(spec);
  const containers = [...mapsAt(spec, 'initContainers'), ...mapsAt(spec, 'containers')];
  for (const container of containers) defaultContainer(container);
  for (const volume of mapsAt(spec, 'volumes')) defaultVolume(volume);
};

// The old name of the field is kept equal to the new one.
const defaultServiceAccount = (spec: JsonMap): void => {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
};

const defaultContainer = (container: JsonMap): void => {
  setDefault(container, 'resources', {});
  setDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setDefault(container, 'terminationMessagePolicy', 'File');
  setDefault(container, 'imagePullPolicy', pullPolicy(textAt(container, 'image')));
  roundResources(mapAt(container, 'resources'));
  for (const port of mapsAt(container, 'ports')) setDefault(port, 'protocol', 'TCP');
  for (const variable of mapsAt(container, 'env')) defaultField(mapAt(variable, 'valueFrom'));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[name];
    if (isMap(probe)) defaultProbe(probe);
  }
  const lifecycle = mapAt(container, 'lifecycle');
  for (const hook of ['preStop', 'postStart']) defaultHttpGet(mapAt(lifecycle, hook));
};

const defaultField = ({ fieldRef }: JsonMap): void => {
  if (isMap(fieldRef)) setDefault(fieldRef, 'apiVersion', 'v1');
};

const defaultFiles = (source: JsonMap): void => {
  for (const file of mapsAt(source, 'items')) defaultField(file);
};

const THOUSANDTHS = -3;

/** Amounts of resources are no finer than thousandths. */
export const roundResources = (resources: JsonMap): void => {
  for (const amounts of [mapAt(resources, 'requests'), mapAt(resources, 'limits')]) {
    for (const [name, amount] of Object.entries(amounts)) {
      if (typeof amount === 'string') put(amounts, name, roundedUp(amount, THOUSANDTHS));
    }
  }
};

/** In a pod, though not in a template, a limit without a request is a request too. */
export const defaultRequests = (spec: JsonMap): void => {
  for (const container of [...mapsAt(spec, 'initContainers'), ...mapsAt(spec, 'containers')]) {
    requestLimits(mapAt(container, 'resources'));
  }
};

const requestLimits = (resources: JsonMap): void => {
  if (!isMap(resources.limits)) return;
  const requests = ensureMap(resources, 'requests');
  for (const [name, quantity] of Object.entries(resources.limits))
    setDefault(requests, name, quantity);
};

/** `Always` for an image that may move under its name: tag latest, or none. */
export const pullPolicy = (image: string): string =>
  MOVING.test(image) ? 'Always' : 'IfNotPresent';

const HOST_PART = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const HOST = `(?:${HOST_PART}(?:\\.${HOST_PART})*|\\[[A-Fa-f0-9:]+\\])(?::\\d+)?`;
const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const DIGEST = '@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[A-Fa-f0-9]{32,}';

/** What is no image's name is no moving one either. */
const MOVING = new RegExp(
  `^(?![a-f0-9]{64}$)(?:${HOST}/)?${PART}(?:/${PART})*(?::latest(?:${DIGEST})?)?$`,
);

const defaultProbe = (probe: JsonMap): void => {
  setDefault(probe, 'timeoutSeconds', 1);
  setDefault(probe, 'periodSeconds', 10);
  setDefault(probe, 'successThreshold', 1);
  setDefault(probe, 'failureThreshold', 3);
  defaultHttpGet(probe);
  if (isMap(probe.grpc)) setDefault(probe.grpc, 'service', '');
};

const defaultHttpGet = (handler: JsonMap): void => {
  if (!isMap(handler.httpGet)) return;
  setDefault(handler.httpGet, 'path', '/');
  setDefault(handler.httpGet, 'scheme', 'HTTP');
};

const defaultVolume = (volume: JsonMap): void => {
  for (const source of ['secret', 'configMap', 'projected', 'downwardAPI']) {
    const value = volume[source];
    if (isMap(value)) setDefault(value, 'defaultMode', 420);
  }
  defaultFiles(mapAt(volume, 'downwardAPI'));
  for (const source of mapsAt(mapAt(volume, 'projected'), 'sources')) {
    defaultFiles(mapAt(source, 'downwardAPI'));
    if (isMap(source.serviceAccountToken)) {
      setDefault(source.serviceAccountToken, 'expirationSeconds', 3600);
    }
  }
  if (isMap(volume.hostPath)) setDefault(volume.hostPath, 'type', '');
  const known = Object.keys(volume).some((key) => key !== 'name');
  if (!known) volume.emptyDir = {};
};
