import { dnsLabel } from '../objects/names.ts';
import { ensureMap, isMap, type JsonMap, mapAt, mapsAt, setDefault } from '../objects/object.ts';
import { specChanged } from './generations.ts';
import { defaultPodTemplate, roundResources } from './pod-template.ts';
import { statefulSetErrors } from './stateful-set-validation.ts';
import type { Strategy } from './strategy.ts';

export const statefulSet: Strategy = {
  nameRule: dnsLabel,
  unconditionalUpdate: true,
  judgesAlone: true,
  isNewGeneration: specChanged,
  defaults: ({ spec }) => defaultSpec(spec as JsonMap | undefined),
  prepareCreate: (object) => {
    object.status = { replicas: 0, availableReplicas: 0 };
  },
  validate: statefulSetErrors,
};

const defaultSpec = (spec: JsonMap | undefined): void => {
  if (spec === undefined) return;
  setDefault(spec, 'podManagementPolicy', 'OrderedReady');
  const strategy = ensureMap(spec, 'updateStrategy');
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    ensureMap(strategy, 'rollingUpdate');
  }
  if (strategy.type === 'RollingUpdate' && isMap(strategy.rollingUpdate)) {
    setDefault(strategy.rollingUpdate, 'partition', 0);
  }
  const retention = ensureMap(spec, 'persistentVolumeClaimRetentionPolicy');
  setDefault(retention, 'whenDeleted', 'Retain');
  setDefault(retention, 'whenScaled', 'Retain');
  setDefault(spec, 'replicas', 1);
  setDefault(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(ensureMap(spec, 'template'));
  for (const claim of mapsAt(spec, 'volumeClaimTemplates')) defaultClaim(claim);
};

/** A claim template is a whole claim, though it is not stored as one. */
const defaultClaim = (claim: JsonMap): void => {
  setDefault(claim, 'apiVersion', 'v1');
  setDefault(claim, 'kind', 'PersistentVolumeClaim');
  const spec = ensureMap(claim, 'spec');
  setDefault(spec, 'volumeMode', 'Filesystem');
  roundResources(mapAt(spec, 'resources'));
  setDefault(ensureMap(claim, 'status'), 'phase', 'Pending');
};
