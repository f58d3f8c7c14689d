import type { FieldError } from '../../errors/errors.ts';
import { dnsLabel, dnsSubdomain, type NameRule, qualifiedName } from '../../objects/names.ts';
import { type JsonMap, mapAt, mapsAt, numberAt, textAt } from '../../objects/object.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../schema/field-error.ts';
import { misnamed, unlisted } from '../bounds.ts';
import { annotationErrors, labelErrors } from '../label-rules.ts';
import { affinityErrors } from './affinity.ts';
import { containerErrors, hostPortConflicts, type Surroundings } from './container.ts';
import { handlersErrors, initOnlyErrors } from './handlers.ts';
import { dnsErrors, dnsPolicyErrors, hostAliasErrors, hostPortErrors } from './network.ts';
import { podSecurityErrors, userNamespaceErrors } from './security.ts';
import { spreadErrors } from './spread.ts';
import { tolerationErrors } from './tolerations.ts';
import { checkVolumes } from './volumes.ts';

/** What is wrong with the pod template of a workload, which calls itself `owner` in errors. */
export const podTemplateErrors = (
  template: JsonMap,
  path: string,
  { owner, claims = [] }: { readonly owner: string; readonly claims?: readonly JsonMap[] },
): FieldError[] => {
  const spec = mapAt(template, 'spec');
  const metadata = mapAt(template, 'metadata');
  const { restartPolicy = 'Always' } = spec;
  const field = `${path}.spec`;
  return [
    ...labelErrors(mapAt(metadata, 'labels'), `${path}.labels`),
    ...annotationErrors(metadata.annotations, `${path}.annotations`),
    ...podSpecErrors(spec, field, claims),
    ...(mapsAt(spec, 'ephemeralContainers').length === 0
      ? []
      : [
          forbidden(
            `${field}.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        ]),
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
};

/** A claim template of a StatefulSet gives its pods a volume of its name; several of one name give one. */
export const podSpecErrors = (
  spec: JsonMap,
  path: string,
  templates: readonly JsonMap[] = [],
): FieldError[] => {
  const names = [...new Set(templates.map((claim) => textAt(mapAt(claim, 'metadata'), 'name')))];
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = mapsAt(spec, 'volumes').filter(({ name }) => !names.includes(String(name)));
  const { errors, right } = checkVolumes([...claimed, ...own], `${path}.volumes`);
  const around: Surroundings = {
    volumes: right,
    claims: mapsAt(spec, 'resourceClaims').map((claim) => textAt(claim, 'name')),
    hostUsers: spec.hostUsers !== false,
  };
  return [
    ...errors,
    ...containersErrors(spec, path, around),
    ...initContainersErrors(spec, path, around),
    ...hostPortErrors(spec, path),
    ...unlisted(spec.restartPolicy ?? 'Always', `${path}.restartPolicy`, RESTART_POLICIES),
    ...dnsPolicyErrors(spec, path),
    ...labelErrors(mapAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...podSecurityErrors(spec, path),
    ...affinityErrors(spec, path),
    ...dnsErrors(spec, path),
    ...gateErrors(spec, path),
    ...spreadErrors(spec, path),
    ...userNamespaceErrors(spec, path),
    ...nameErrors(spec, path, BEFORE),
    ...deadlineErrors(spec, `${path}.activeDeadlineSeconds`),
    ...nameErrors(spec, path, WITHIN),
    ...tolerationErrors(spec, path),
    ...hostAliasErrors(spec, path),
    ...nameErrors(spec, path, AFTER),
    ...(spec.preemptionPolicy === undefined
      ? []
      : unlisted(spec.preemptionPolicy, `${path}.preemptionPolicy`, PREEMPTIONS)),
    ...osErrors(spec, `${path}.os`),
  ];
};

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PREEMPTIONS = ['PreemptLowerPriority', 'Never'];

const graceOf = (spec: JsonMap): number => numberAt(spec, 'terminationGracePeriodSeconds') ?? 30;

const containersErrors = (spec: JsonMap, path: string, around: Surroundings): FieldError[] => {
  const containers = mapsAt(spec, 'containers');
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
};

const initContainersErrors = (spec: JsonMap, path: string, around: Surroundings): FieldError[] => {
  const first = mapsAt(spec, 'initContainers');
  const containers = mapsAt(spec, 'containers');
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
};

const ownRestartErrors = ({ restartPolicy }: JsonMap, path: string): FieldError[] =>
  restartPolicy === undefined
    ? []
    : unlisted(restartPolicy, `${path}.restartPolicy`, ['Always', 'Never', 'OnFailure']);

const repeated = ({ name }: JsonMap, earlier: readonly JsonMap[], path: string): FieldError[] =>
  earlier.some((one) => one.name === name) ? [duplicate(`${path}.name`, name)] : [];

const gateErrors = (spec: JsonMap, path: string): FieldError[] => {
  const gates = mapsAt(spec, 'schedulingGates').map((gate) => textAt(gate, 'name'));
  return [
    ...mapsAt(spec, 'readinessGates').flatMap((gate, index) =>
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
};

type Names = readonly (readonly [field: string, rule: NameRule])[];

/** The names in a pod, in the order in which the server looks at them. */
const BEFORE: Names = [
  ['hostnameOverride', dnsSubdomain],
  ['serviceAccountName', dnsSubdomain],
  ['nodeName', dnsSubdomain],
];
const WITHIN: Names = [
  ['hostname', dnsLabel],
  ['subdomain', dnsLabel],
];
const AFTER: Names = [
  ['priorityClassName', dnsSubdomain],
  ['runtimeClassName', dnsSubdomain],
];

const nameErrors = (spec: JsonMap, path: string, names: Names): FieldError[] =>
  names.flatMap(([field, rule]) => {
    const text = textAt(spec, field);
    return text === '' ? [] : misnamed(text, `${path}.${field}`, rule);
  });

const LONGEST = 2 ** 31 - 1;

const deadlineErrors = (spec: JsonMap, path: string): FieldError[] => {
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline === undefined || (deadline >= 1 && deadline <= LONGEST)) return [];
  return [invalid(path, deadline, `must be between 1 and ${LONGEST}, inclusive`)];
};

const osErrors = (spec: JsonMap, path: string): FieldError[] => {
  if (spec.os === undefined) return [];
  const name = textAt(mapAt(spec, 'os'), 'name');
  return name === '' ? [required(`${path}.name`)] : unlisted(name, path, ['linux', 'windows']);
};
