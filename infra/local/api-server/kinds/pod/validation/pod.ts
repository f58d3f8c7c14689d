import type { FieldError } from '../../../errors/field-error.ts';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../errors/field-error.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../../../json/value.ts';
import { misnamed, unlisted } from '../../../objects/field-rules.ts';
import { annotationErrors, labelErrors } from '../../../objects/label-rules.ts';
import { dnsLabel, dnsSubdomain, type NameRule, qualifiedName } from '../../../objects/names.ts';
import { affinityErrors } from './affinity.ts';
import { containerErrors, hostPortConflicts, type PodContext } from './container.ts';
import { handlersErrors, initOnlyErrors } from './handlers.ts';
import { dnsErrors, dnsPolicyErrors, hostAliasErrors, hostPortErrors } from './network.ts';
import { podSecurityErrors, userNamespaceErrors } from './security.ts';
import { spreadErrors } from './spread.ts';
import { tolerationErrors } from './tolerations.ts';
import { checkVolumes } from './volumes.ts';

/** Validates the pod template of a workload; `owner` is the workload's name in errors. */
export function podTemplateErrors(
  template: JsonObject,
  path: string,
  { owner, claims = [] }: { readonly owner: string; readonly claims?: readonly JsonObject[] },
): FieldError[] {
  const spec = objectAt(template, 'spec');
  const { restartPolicy = 'Always' } = spec;
  const field = `${path}.spec`;
  return [
    ...templateErrors(template, path, claims),
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported(`${field}.restartPolicy`, restartPolicy, ['Always'])]),
    ...(spec.activeDeadlineSeconds === undefined
      ? []
      : [
          forbidden(
            `${field}.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${owner} is not Supported`,
          ),
        ]),
  ];
}

/** Validates a pod template of any owner. */
export function templateErrors(
  template: JsonObject,
  path: string,
  claims: readonly JsonObject[] = [],
): FieldError[] {
  const spec = objectAt(template, 'spec');
  const metadata = objectAt(template, 'metadata');
  const ephemeral = 'ephemeral containers not allowed in pod template';
  return [
    ...labelErrors(objectAt(metadata, 'labels'), `${path}.labels`),
    ...annotationErrors(metadata.annotations, `${path}.annotations`),
    ...podSpecErrors(spec, `${path}.spec`, claims),
    ...(objectsAt(spec, 'ephemeralContainers').length === 0
      ? []
      : [forbidden(`${path}.spec.ephemeralContainers`, ephemeral)]),
  ];
}

/** A claim template of a StatefulSet gives its pods a volume of its name; equal names give one volume. */
export function podSpecErrors(
  spec: JsonObject,
  path: string,
  templates: readonly JsonObject[] = [],
): FieldError[] {
  const names = [...new Set(templates.map((claim) => textAt(objectAt(claim, 'metadata'), 'name')))];
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = objectsAt(spec, 'volumes').filter(({ name }) => !names.includes(String(name)));
  const { errors, right } = checkVolumes([...claimed, ...own], `${path}.volumes`);
  const around: PodContext = {
    volumes: right,
    claims: objectsAt(spec, 'resourceClaims').map((claim) => textAt(claim, 'name')),
    hostUsers: spec.hostUsers !== false,
  };
  return [
    ...errors,
    ...containersErrors(spec, path, around),
    ...initContainersErrors(spec, path, around),
    ...hostPortErrors(spec, path),
    ...unlisted(spec.restartPolicy ?? 'Always', `${path}.restartPolicy`, restartPolicies),
    ...dnsPolicyErrors(spec, path),
    ...labelErrors(objectAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...podSecurityErrors(spec, path),
    ...affinityErrors(spec, path),
    ...dnsErrors(spec, path),
    ...gateErrors(spec, path),
    ...spreadErrors(spec, path),
    ...userNamespaceErrors(spec, path),
    ...nameErrors(spec, path, namesBefore),
    ...deadlineErrors(spec, `${path}.activeDeadlineSeconds`),
    ...nameErrors(spec, path, namesWithin),
    ...tolerationErrors(spec, path),
    ...hostAliasErrors(spec, path),
    ...nameErrors(spec, path, namesAfter),
    ...(spec.preemptionPolicy === undefined
      ? []
      : unlisted(spec.preemptionPolicy, `${path}.preemptionPolicy`, preemptions)),
    ...osErrors(spec, `${path}.os`),
  ];
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const preemptions = ['PreemptLowerPriority', 'Never'];

function graceOf(spec: JsonObject): number {
  return numberAt(spec, 'terminationGracePeriodSeconds') ?? 30;
}

function containersErrors(spec: JsonObject, path: string, around: PodContext): FieldError[] {
  const containers = objectsAt(spec, 'containers');
  const place = `${path}.containers`;
  if (containers.length === 0) return [required(place)];
  return [
    ...containers.flatMap((container, index) => {
      const field = `${place}[${index}]`;
      return [
        ...containerErrors(container, field, around),
        ...repeated(container, containers.slice(0, index), field),
        ...handlersErrors(container, field, graceOf(spec)),
        ...ownRestartErrors(container, field),
      ];
    }),
    ...hostPortConflicts(containers, place),
  ];
}

function initContainersErrors(spec: JsonObject, path: string, around: PodContext): FieldError[] {
  const first = objectsAt(spec, 'initContainers');
  const containers = objectsAt(spec, 'containers');
  return first.flatMap((container, index) => {
    const field = `${path}.initContainers[${index}]`;
    const earlier = [...containers, ...first.slice(0, index).filter(({ name }) => name !== '')];
    return [
      ...containerErrors(container, field, around),
      ...ownRestartErrors(container, field),
      ...repeated(container, earlier, field),
      ...hostPortConflicts([container], `${path}.initContainers`),
      ...initOnlyErrors(container, field, graceOf(spec)),
    ];
  });
}

function ownRestartErrors({ restartPolicy }: JsonObject, path: string): FieldError[] {
  return restartPolicy === undefined
    ? []
    : unlisted(restartPolicy, `${path}.restartPolicy`, ['Always', 'Never', 'OnFailure']);
}

function repeated(
  { name }: JsonObject,
  earlier: readonly JsonObject[],
  path: string,
): FieldError[] {
  return earlier.some((one) => one.name === name) ? [duplicate(`${path}.name`, name)] : [];
}

function gateErrors(spec: JsonObject, path: string): FieldError[] {
  const gates = objectsAt(spec, 'schedulingGates').map((gate) => textAt(gate, 'name'));
  return [
    ...objectsAt(spec, 'readinessGates').flatMap((gate, index) =>
      misnamed(
        textAt(gate, 'conditionType'),
        `${path}.readinessGates[${index}].conditionType`,
        qualifiedName,
      ),
    ),
    ...gates.flatMap((name, index) => {
      const field = `${path}.schedulingGates[${index}]`;
      const isRepeated = gates.indexOf(name) < index;
      return [
        ...misnamed(name, field, qualifiedName),
        ...(isRepeated ? [duplicate(field, name)] : []),
      ];
    }),
  ];
}

type Names = readonly (readonly [field: string, rule: NameRule])[];

/** Validates the names in a pod, in the server's order. */
const namesBefore: Names = [
  ['hostnameOverride', dnsSubdomain],
  ['serviceAccountName', dnsSubdomain],
  ['nodeName', dnsSubdomain],
];
const namesWithin: Names = [
  ['hostname', dnsLabel],
  ['subdomain', dnsLabel],
];
const namesAfter: Names = [
  ['priorityClassName', dnsSubdomain],
  ['runtimeClassName', dnsSubdomain],
];

function nameErrors(spec: JsonObject, path: string, names: Names): FieldError[] {
  return names.flatMap(([field, rule]) => {
    const text = textAt(spec, field);
    return text === '' ? [] : misnamed(text, `${path}.${field}`, rule);
  });
}

const maxLength = 2 ** 31 - 1;

function deadlineErrors(spec: JsonObject, path: string): FieldError[] {
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline === undefined || (deadline >= 1 && deadline <= maxLength)) return [];
  return [invalid(path, deadline, `must be between 1 and ${maxLength}, inclusive`)];
}

function osErrors(spec: JsonObject, path: string): FieldError[] {
  if (spec.os === undefined) return [];
  const name = textAt(objectAt(spec, 'os'), 'name');
  return name === '' ? [required(`${path}.name`)] : unlisted(name, path, ['linux', 'windows']);
}
