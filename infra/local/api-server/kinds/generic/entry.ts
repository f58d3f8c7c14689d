import { type FieldError, forbidden, invalid } from '../../errors/field-error.ts';
import { objectAt, valueAt } from '../../json/value.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { dnsSubdomain, pathSegment } from '../../objects/names.ts';
import { type KubeObject, timestamp } from '../../objects/object.ts';
import { agePrinter } from '../../printing/printer.ts';
import type { Strategy } from '../../resources/strategy.ts';
import type { SchemaSource } from '../../schema/schema.ts';
import type { DiscoveredKind, KindEntry } from '../kind.ts';
import { genericDefaults } from './defaults.ts';
import { endpointSlice } from './endpoint-slice.ts';
import { missingTexts } from './missing-texts.ts';
import { genericPrinters } from './printers.ts';

/**
 * Builds the entry of a kind that has none of its own.
 *
 * Caveats: validates only types, metadata, required fields and immutable fields, except for EndpointSlices.
 */
export function genericEntry({ group, kind }: DiscoveredKind, source: SchemaSource): KindEntry {
  const defaults = genericDefaults[kind];
  const { fields, fixed = {}, ...special } = traits[kind] ?? {};
  return {
    group,
    kind,
    strategy: {
      nameRule: dnsSubdomain,
      allowUnconditionalUpdate: true,
      validate: (object, old) => [
        ...(old ? fixedErrors(object, old, fixed) : []),
        ...missingTexts(object, source),
      ],
      ...(defaults ? { defaults } : {}),
      ...(fields ? { selectableFields: (object) => valuesOf(object, fields) } : {}),
      ...special,
    },
    printer: genericPrinters[kind] ?? agePrinter,
    ...(fields ? { fields } : {}),
    ...(kind === 'Endpoints' ? { deprecationWarning: endpointsWarning } : {}),
  };
}

const endpointsWarning =
  'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

interface Traits extends Partial<Strategy> {
  /** What field selectors may name. */
  readonly fields?: readonly string[];
  /** Immutable fields, with the server's error for a change. */
  readonly fixed?: Readonly<Record<string, string>>;
}

const isFixed = 'field is immutable';

/** Names of fields in errors, where the real server misspells them. */
const misspelt: Readonly<Record<string, string>> = {
  'spec.attachRequired': 'spec.attachedRequired',
};

const fixedErrors = (
  object: KubeObject,
  old: KubeObject,
  fixed: Readonly<Record<string, string>>,
): readonly FieldError[] =>
  Object.entries(fixed).flatMap(([field, why]) => {
    const value = valueAt(object, field);
    if (isSemanticallyEqual(value, valueAt(old, field))) return [];
    const named = misspelt[field] ?? field;
    return [why === isFixed ? invalid(named, value ?? null, why) : forbidden(named, why)];
  });

function valuesOf(object: KubeObject, fields: readonly string[]): Record<string, string> {
  const values = fields.map((field) => [field, String(valueAt(object, field) ?? '')]);
  return Object.fromEntries(values);
}

/** The kind has a generation, which every change outside metadata and status increments. */
const counted: Traits = { isNewGeneration: contentChanged };
const locked: Traits = { allowUnconditionalUpdate: false };
const answered: Traits = { returnDeletedObject: true };

/** Behaviour of the real server that only some kinds have. */
const traits: Readonly<Record<string, Traits>> = {
  APIService: locked,
  CertificateSigningRequest: { nameRule: pathSegment, fields: ['spec.signerName'] },
  CSIDriver: {
    ...locked,
    ...answered,
    fixed: { 'spec.attachRequired': isFixed, 'spec.volumeLifecycleModes': isFixed },
  },
  CSINode: { ...locked, ...answered },
  CSIStorageCapacity: locked,
  DeviceClass: { ...counted, ...answered },
  Endpoints: { allowCreateOnUpdate: true },
  EndpointSlice: endpointSlice,
  FlowSchema: counted,
  IngressClass: { ...counted, fixed: { 'spec.controller': isFixed } },
  LimitRange: { allowCreateOnUpdate: true },
  MutatingAdmissionPolicy: { ...locked, ...counted },
  MutatingAdmissionPolicyBinding: { ...locked, ...counted },
  MutatingWebhookConfiguration: { ...locked, ...counted },
  Node: {
    keepsStatus: true,
    fields: ['spec.unschedulable'],
    selectableFields: ({ spec }) => ({
      'spec.unschedulable': String(objectAt({ spec }, 'spec').unschedulable ?? false),
    }),
  },
  PersistentVolume: {
    ...answered,
    prepareForCreate: (object, { now }) => {
      object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(now) };
      protect(object, 'kubernetes.io/pv-protection');
    },
  },
  PodTemplate: { ...counted, ...answered },
  // No update increments the generation of a PriorityClass.
  PriorityClass: {
    isNewGeneration: () => false,
    fixed: { value: 'may not be changed in an update.', preemptionPolicy: isFixed },
  },
  PriorityLevelConfiguration: counted,
  ReplicationController: {
    ...counted,
    orphansDependents: true,
    fields: ['status.replicas'],
  },
  ResourceQuota: { ...answered, fixed: { 'spec.scopes': isFixed } },
  ResourceClaim: { ...answered, fixed: { spec: isFixed } },
  ResourceClaimTemplate: { ...answered, fixed: { spec: isFixed } },
  ResourceSlice: { ...counted, ...answered },
  RuntimeClass: { ...locked, allowCreateOnUpdate: true, fixed: { handler: isFixed } },
  StorageClass: {
    ...answered,
    fixed: {
      parameters: isFixed,
      provisioner: isFixed,
      reclaimPolicy: isFixed,
      volumeBindingMode: isFixed,
    },
  },
  ValidatingAdmissionPolicy: { ...locked, ...counted },
  ValidatingAdmissionPolicyBinding: { ...locked, ...counted },
  ValidatingWebhookConfiguration: { ...locked, ...counted },
  VolumeAttachment: { ...locked, ...answered },
  VolumeAttributesClass: {
    ...answered,
    fixed: {
      driverName: 'updates to driverName are forbidden.',
      parameters: 'updates to parameters are forbidden.',
    },
    prepareForCreate: (object) => protect(object, 'kubernetes.io/vac-protection'),
  },
};

function contentChanged(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _, status: _now, ...content } = object;
  const { metadata: _old, status: _then, ...before } = old;
  return !isSemanticallyEqual(content, before);
}

/** Protects an object while it is in use; a controller removes the finalizer. */
function protect({ metadata }: KubeObject, finalizer: string): void {
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
}
