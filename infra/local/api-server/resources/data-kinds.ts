import { dnsSubdomain } from '../objects/names.ts';
import { isMap, mapAt, setDefault, textAt } from '../objects/object.ts';
import { claimChanged, claimErrors } from './claim-validation.ts';
import { specChanged } from './generations.ts';
import { defaultPodSpec, defaultPodTemplate, defaultRequests } from './pod-template.ts';
import { podSpecErrors } from './pod-validation/pod.ts';
import { selectorErrors } from './selector.ts';
import type { Strategy } from './strategy.ts';

/** Kinds that are stored and shown, but that nothing here acts upon. */

export const replicaSet: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  isNewGeneration: specChanged,
  statusResets: [['spec'], ['metadata', 'labels']],
  defaults: (object) => {
    if (!isMap(object.spec)) return;
    setDefault(object.spec, 'replicas', 1);
    defaultPodTemplate(mapAt(object.spec, 'template'));
  },
  prepareCreate: (object) => {
    object.status = { replicas: 0 };
  },
  validate: (object) => selectorErrors(object),
};

export const pod: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  returnsDeleted: true,
  isNewGeneration: specChanged,
  selectableFields: (object) => ({
    'spec.nodeName': textAt(mapAt(object, 'spec'), 'nodeName'),
    'spec.restartPolicy': textAt(mapAt(object, 'spec'), 'restartPolicy'),
    'spec.serviceAccountName': textAt(mapAt(object, 'spec'), 'serviceAccountName'),
    'status.phase': textAt(mapAt(object, 'status'), 'phase'),
  }),
  defaults: (object) => {
    if (!isMap(object.spec)) return;
    defaultPodSpec(object.spec);
    defaultRequests(object.spec);
    setDefault(object.spec, 'enableServiceLinks', true);
  },
  prepareCreate: (object) => {
    object.status = { phase: 'Pending', qosClass: 'BestEffort' };
  },
  validate: (object) => podSpecErrors(mapAt(object, 'spec'), 'spec'),
};

export const persistentVolumeClaim: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  returnsDeleted: true,
  judgesAlone: true,
  validate: (object, old) => [
    ...claimErrors(mapAt(object, 'spec'), 'spec'),
    ...(old ? claimChanged(object, old) : []),
  ],
  defaults: (object) => {
    if (isMap(object.spec)) setDefault(object.spec, 'volumeMode', 'Filesystem');
  },
  prepareCreate: (object) => {
    object.status = { phase: 'Pending' };
    const { metadata } = object;
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), PROTECTION])];
  },
};

/** Keeps a claim while pods use it; a controller takes it away. */
const PROTECTION = 'kubernetes.io/pvc-protection';

export const serviceAccount: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  returnsDeleted: true,
};
