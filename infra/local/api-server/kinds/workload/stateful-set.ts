import {
  ensureObject,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  setDefault,
} from '../../json/value.ts';
import { dnsLabel } from '../../objects/names.ts';
import type { Strategy } from '../../resources/strategy.ts';
import { specChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { defaultPodTemplate, roundResources } from '../pod/template-defaults.ts';
import { statefulSetPrinter } from './printers.ts';
import { statefulSetErrors } from './stateful-set-validation.ts';

const statefulSet: Strategy = {
  nameRule: dnsLabel,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  isNewGeneration: specChanged,
  defaults: ({ spec }) => defaultSpec(spec as JsonObject | undefined),
  validate: statefulSetErrors,
};

function defaultSpec(spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  setDefault(spec, 'podManagementPolicy', 'OrderedReady');
  const strategy = ensureObject(spec, 'updateStrategy');
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  if (strategy.type === 'RollingUpdate' && isObject(strategy.rollingUpdate)) {
    setDefault(strategy.rollingUpdate, 'partition', 0);
  }
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  setDefault(retention, 'whenDeleted', 'Retain');
  setDefault(retention, 'whenScaled', 'Retain');
  setDefault(spec, 'replicas', 1);
  setDefault(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(ensureObject(spec, 'template'));
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) defaultClaim(claim);
}

/** Decodes a claim template as a whole claim, although it is not stored as one. */
function defaultClaim(claim: JsonObject): void {
  setDefault(claim, 'apiVersion', 'v1');
  setDefault(claim, 'kind', 'PersistentVolumeClaim');
  const spec = ensureObject(claim, 'spec');
  setDefault(spec, 'volumeMode', 'Filesystem');
  roundResources(objectAt(spec, 'resources'));
  setDefault(ensureObject(claim, 'status'), 'phase', 'Pending');
}

export const statefulSetKind: KindEntry = {
  group: 'apps',
  kind: 'StatefulSet',
  strategy: statefulSet,
  printer: statefulSetPrinter,
};
