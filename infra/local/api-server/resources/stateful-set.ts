import type { FieldError } from '../errors/errors.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import { dnsSubdomain } from '../objects/names.ts';
import {
  ensureMap,
  type JsonMap,
  type KubeObject,
  mapAt,
  mapsAt,
  setDefault,
} from '../objects/object.ts';
import { forbidden } from '../schema/field-error.ts';
import { replicasErrors } from './deployment.ts';
import { specChanged } from './generations.ts';
import { defaultPodTemplate } from './pod-template.ts';
import { podTemplateErrors } from './pod-validation.ts';
import { selectorErrors } from './selector.ts';
import type { Strategy } from './strategy.ts';

export const statefulSet: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  isNewGeneration: specChanged,
  statusResets: [['spec'], ['metadata', 'labels']],
  defaults: ({ spec }) => defaultSpec(spec as JsonMap | undefined),
  prepareCreate: (object) => {
    object.status = { replicas: 0, availableReplicas: 0 };
  },
  validate: (object, old) => [
    ...(old ? immutableErrors(object, old) : []),
    ...selectorErrors(object),
    ...replicasErrors(object),
    ...podTemplateErrors(
      mapAt(mapAt(object, 'spec'), 'template'),
      'spec.template',
      mapsAt(mapAt(object, 'spec'), 'volumeClaimTemplates'),
    ),
  ],
};

const defaultSpec = (spec: JsonMap | undefined): void => {
  if (spec === undefined) return;
  setDefault(spec, 'podManagementPolicy', 'OrderedReady');
  const strategy = ensureMap(spec, 'updateStrategy');
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    setDefault(ensureMap(strategy, 'rollingUpdate'), 'partition', 0);
  }
  const retention = ensureMap(spec, 'persistentVolumeClaimRetentionPolicy');
  setDefault(retention, 'whenDeleted', 'Retain');
  setDefault(retention, 'whenScaled', 'Retain');
  setDefault(spec, 'replicas', 1);
  setDefault(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(mapAt(spec, 'template'));
  for (const claim of mapsAt(spec, 'volumeClaimTemplates')) defaultClaim(claim);
};

/** A claim template is a whole claim, though it is not stored as one. */
const defaultClaim = (claim: JsonMap): void => {
  setDefault(claim, 'apiVersion', 'v1');
  setDefault(claim, 'kind', 'PersistentVolumeClaim');
  setDefault(ensureMap(claim, 'spec'), 'volumeMode', 'Filesystem');
  setDefault(ensureMap(claim, 'status'), 'phase', 'Pending');
};

const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const immutableErrors = (object: KubeObject, old: KubeObject): FieldError[] => {
  const fixed = ({ spec }: KubeObject): JsonMap =>
    Object.fromEntries(
      Object.entries((spec ?? {}) as JsonMap).filter(([field]) => !MUTABLE.includes(field)),
    );
  if (isSemanticallyEqual(fixed(object), fixed(old))) return [];
  return [
    forbidden(
      'spec',
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
};
