import type { FieldError } from '../../../errors/field-error.ts';
import { duplicate, invalid, required } from '../../../errors/field-error.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../json/value.ts';
import { isPort, misnamed, needed, portRange, unlisted } from '../../../objects/field-rules.ts';
import { dnsLabel, portName } from '../../../objects/names.ts';
import { environmentErrors } from './environment.ts';
import { mountErrors } from './mounts.ts';
import { resourceErrors } from './resources.ts';
import { containerSecurityErrors } from './security.ts';
import type { Volumes } from './volumes.ts';

/** The context in which a container is validated. */
export interface PodContext {
  readonly volumes: Volumes;
  readonly claims: readonly string[];
  readonly hostUsers: boolean;
}

/** Validates a container of any kind: regular, init or ephemeral. */
export function containerErrors(
  container: JsonObject,
  path: string,
  { volumes, claims, hostUsers }: PodContext,
): FieldError[] {
  return [
    ...needed(textAt(container, 'name'), `${path}.name`, dnsLabel),
    ...(textAt(container, 'image') === '' ? [required(`${path}.image`)] : []),
    ...unlisted(
      container.terminationMessagePolicy,
      `${path}.terminationMessagePolicy`,
      messagePolicies,
    ),
    ...portsErrors(objectsAt(container, 'ports'), `${path}.ports`),
    ...environmentErrors(container, path),
    ...mountErrors(container, path, volumes),
    ...unlisted(container.imagePullPolicy, `${path}.imagePullPolicy`, pullPolicies),
    ...resourceErrors(objectAt(container, 'resources'), `${path}.resources`, claims),
    ...resizeErrors(objectsAt(container, 'resizePolicy'), `${path}.resizePolicy`),
    ...containerSecurityErrors(
      objectAt(container, 'securityContext'),
      `${path}.securityContext`,
      hostUsers,
    ),
  ];
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const protocols = ['SCTP', 'TCP', 'UDP'];

function portsErrors(ports: readonly JsonObject[], path: string): FieldError[] {
  const names = ports.map((port) => textAt(port, 'name'));
  return ports.flatMap((port, index) => {
    const field = `${path}[${index}]`;
    const { containerPort = 0, hostPort = 0, protocol } = port;
    const name = names[index] ?? '';
    const wrongName = name === '' ? [] : misnamed(name, `${field}.name`, portName);
    const isRepeated = name !== '' && wrongName.length === 0 && names.indexOf(name) < index;
    return [
      ...wrongName,
      ...(isRepeated ? [duplicate(`${field}.name`, name)] : []),
      ...(containerPort === 0 ? [required(`${field}.containerPort`)] : []),
      ...(containerPort === 0 || isPort(containerPort)
        ? []
        : [invalid(`${field}.containerPort`, containerPort, portRange)]),
      ...(hostPort === 0 || isPort(hostPort)
        ? []
        : [invalid(`${field}.hostPort`, hostPort, portRange)]),
      ...unlisted(protocol, `${field}.protocol`, protocols),
    ];
  });
}

/** Finds host ports that several of these containers use. */
export function hostPortConflicts(containers: readonly JsonObject[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap(({ hostPort = 0, hostIP = '', protocol }, at) => {
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (hostPort === 0) return [];
      if (taken.has(key)) return [duplicate(`${path}[${index}].ports[${at}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

const resized = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

function resizeErrors(policies: readonly JsonObject[], path: string): FieldError[] {
  const names = policies.map((policy) => textAt(policy, 'resourceName'));
  const among = (text: string, known: readonly string[]): FieldError[] =>
    text === '' ? [required(path)] : unlisted(text, path, known);
  return policies.flatMap((policy, index) => {
    const name = names[index] ?? '';
    return [
      ...(names.indexOf(name) < index ? [duplicate(`${path}[${index}]`, name)] : []),
      ...among(name, resized),
      ...among(textAt(policy, 'restartPolicy'), resizePolicies),
    ];
  });
}
