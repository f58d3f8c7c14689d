import type { FieldError } from '../../errors/errors.ts';
import { dnsLabel, portName } from '../../objects/names.ts';
import { type JsonMap, mapAt, mapsAt, textAt } from '../../objects/object.ts';
import { duplicate, invalid, required } from '../../schema/field-error.ts';
import { isPort, misnamed, needed, PORT_RANGE, unlisted } from '../bounds.ts';
import { environmentErrors } from './environment.ts';
import { mountErrors } from './mounts.ts';
import { resourceErrors } from './resources.ts';
import { containerSecurityErrors } from './security.ts';
import type { Volumes } from './volumes.ts';

/** What a container may look at beside itself. */
export interface Surroundings {
  readonly volumes: Volumes;
  readonly claims: readonly string[];
  readonly hostUsers: boolean;
}

/** What is wrong with a container of any sort. */
export const containerErrors = (
  container: JsonMap,
  path: string,
  { volumes, claims, hostUsers }: Surroundings,
): FieldError[] => [
  ...needed(textAt(container, 'name'), `${path}.name`, dnsLabel),
  ...(textAt(container, 'image') === '' ? [required(`${path}.image`)] : []),
  ...unlisted(
    container.terminationMessagePolicy,
    `${path}.terminationMessagePolicy`,
    MESSAGE_POLICIES,
  ),
  ...portsErrors(mapsAt(container, 'ports'), `${path}.ports`),
  ...environmentErrors(container, path),
  ...mountErrors(container, path, volumes),
  ...unlisted(container.imagePullPolicy, `${path}.imagePullPolicy`, PULL_POLICIES),
  ...resourceErrors(mapAt(container, 'resources'), `${path}.resources`, claims),
  ...resizeErrors(mapsAt(container, 'resizePolicy'), `${path}.resizePolicy`),
  ...containerSecurityErrors(
    mapAt(container, 'securityContext'),
    `${path}.securityContext`,
    hostUsers,
  ),
];

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const portsErrors = (ports: readonly JsonMap[], path: string): FieldError[] => {
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
        : [invalid(`${field}.containerPort`, containerPort, PORT_RANGE)]),
      ...(hostPort === 0 || isPort(hostPort)
        ? []
        : [invalid(`${field}.hostPort`, hostPort, PORT_RANGE)]),
      ...unlisted(protocol, `${field}.protocol`, PROTOCOLS),
    ];
  });
};

/** Ports of the node that several of these containers want. */
export const hostPortConflicts = (containers: readonly JsonMap[], path: string): FieldError[] => {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    mapsAt(container, 'ports').flatMap(({ hostPort = 0, hostIP = '', protocol }, at) => {
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (hostPort === 0) return [];
      if (taken.has(key)) return [duplicate(`${path}[${index}].ports[${at}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
};

const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

const resizeErrors = (policies: readonly JsonMap[], path: string): FieldError[] => {
  const names = policies.map((policy) => textAt(policy, 'resourceName'));
  const among = (text: string, known: readonly string[]): FieldError[] =>
    text === '' ? [required(path)] : unlisted(text, path, known);
  return policies.flatMap((policy, index) => {
    const name = names[index] ?? '';
    return [
      ...(names.indexOf(name) < index ? [duplicate(`${path}[${index}]`, name)] : []),
      ...among(name, RESIZED),
      ...among(textAt(policy, 'restartPolicy'), RESIZE_POLICIES),
    ];
  });
};
