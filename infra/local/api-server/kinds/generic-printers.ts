import {
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../json/value.ts';
import { number, selectorText, specCount, statusCount } from '../printing/cells.ts';
import {
  ageCell,
  type Cell,
  cell,
  createdAtCell,
  nameCell,
  type Printer,
  printer,
  printerOf,
} from '../printing/printer.ts';
import { containerCells, workloadCells } from './workload/printers.ts';

const none = '<none>';
const unset = '<unset>';

/** A column that shows a field, or `otherwise` where it is absent. */
function field(name: string, path: string, otherwise: unknown = ''): Cell {
  const type =
    typeof otherwise === 'boolean' || typeof otherwise === 'number' ? typeof otherwise : 'string';
  return cell(name, (object) => valueAt(object, path) ?? otherwise, {
    type: type === 'number' ? 'integer' : type,
  });
}

/** A column that counts the items of a list. */
function count(name: string, path: string): Cell {
  return number(name, (object) => {
    const list = valueAt(object, path);
    return Array.isArray(list) ? list.length : 0;
  });
}

function joined(values: readonly unknown[], otherwise = none): string {
  return values.join(',') || otherwise;
}

const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function conditionOf(object: JsonObject, wanted: string): JsonObject | undefined {
  return objectsAt(objectAt(object, 'status'), 'conditions').find(({ type }) => type === wanted);
}

function defaultName(annotation: string): Cell {
  return {
    ...nameCell,
    value: ({ metadata }) => {
      const { name = '', annotations } = (metadata ?? {}) as JsonObject;
      const isDefault = isObject(annotations) && annotations[annotation] === 'true';
      return isDefault ? `${name} (default)` : name;
    },
  };
}

function nodeStatus(object: JsonObject): string {
  const status = conditionOf(object, 'Ready')?.status;
  const ready = status === undefined ? 'Unknown' : status === 'True' ? 'Ready' : 'NotReady';
  return objectAt(object, 'spec').unschedulable === true ? `${ready},SchedulingDisabled` : ready;
}

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(object: JsonObject): string {
  const labels = objectAt(objectAt(object, 'metadata'), 'labels');
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [String(value)] : [];
  });
  return joined(roles.filter(Boolean).sort());
}

function nodeAddress(type: string): (object: JsonObject) => string {
  return (object) => {
    const addresses = objectsAt(objectAt(object, 'status'), 'addresses');
    return (
      textAt(
        addresses.find((one) => one.type === type),
        'address',
      ) || none
    );
  };
}

function nodeInfo(name: string): (object: JsonObject) => string {
  return (object) => textAt(objectAt(objectAt(object, 'status'), 'nodeInfo'), name) || '<unknown>';
}

function kernel(object: JsonObject): string {
  const architecture = textAt(objectAt(objectAt(object, 'status'), 'nodeInfo'), 'architecture');
  return `${nodeInfo('kernelVersion')(object)}${architecture === '' ? '' : ` (${architecture})`}`;
}

function quota(isLimit: boolean): (object: JsonObject) => string {
  return (object) => {
    const { hard, used } = objectAt(object, 'status') as Record<string, JsonObject | undefined>;
    return Object.entries(hard ?? {})
      .filter(([name]) => name.startsWith('limits.') === isLimit)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, amount]) => `${name}: ${used?.[name] ?? '0'}/${amount}`)
      .join(', ');
  };
}

function controllerOf(object: JsonObject): string {
  const owners = objectsAt(objectAt(object, 'metadata'), 'ownerReferences');
  const owner = owners.find(({ controller }) => controller === true);
  if (owner === undefined) return none;
  const [group = ''] = textAt(owner, 'apiVersion').split('/').slice(0, -1);
  const kind = textAt(owner, 'kind').toLowerCase();
  return `${group === '' ? kind : `${kind}.${group}`}/${textAt(owner, 'name')}`;
}

function parameters(object: JsonObject): string {
  const given = objectAt(objectAt(object, 'spec'), 'parameters');
  if (given.name === undefined) return none;
  const group = textAt(given, 'apiGroup');
  return `${textAt(given, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(given, 'name')}`;
}

const shown = 3;

/** The first of a list, and how many more there are. */
function firstOf(values: readonly string[], most: number): string {
  if (values.length === 0) return unset;
  const more = values.length > most ? ` + ${values.length - most} more...` : '';
  return `${values.slice(0, most).join(',')}${more}`;
}

function subsets(object: JsonObject): string {
  const all = objectsAt(object, 'subsets').flatMap((subset) =>
    objectsAt(subset, 'ports').flatMap(({ port }) =>
      objectsAt(subset, 'addresses').map(({ ip }) => `${ip}:${port}`),
    ),
  );
  return all.length === 0 ? none : firstOf(all, shown);
}

function slicePorts(object: JsonObject): string {
  const ports = objectsAt(object, 'ports').map(({ name, port }) =>
    port === undefined ? `${name || ''}*` : String(port),
  );
  return firstOf(ports, shown);
}

function parentOf({ spec }: JsonObject): string {
  const { group, resource, namespace, name } = objectAt({ spec }, 'spec').parentRef as JsonObject;
  const plural = group ? `${resource}.${group}` : String(resource);
  return [plural, ...(namespace ? [String(namespace)] : []), String(name)].join('/');
}

const paramKind = cell('ParamKind', (object) => {
  const { apiVersion, kind } = objectAt(objectAt(object, 'spec'), 'paramKind');
  return kind === undefined ? unset : `${apiVersion}/${kind}`;
});

const paramRef = cell('ParamRef', (object) => {
  const reference = objectAt(object, 'spec').paramRef;
  if (!isObject(reference)) return unset;
  const name = textAt(reference, 'name');
  if (name === '') return '*';
  return `${textAt(reference, 'namespace') || '*'}/${name}`;
});

const wide = { wide: true } as const;

const queuing = 'spec.limited.limitResponse.queuing';

/** The columns of kinds without an entry of their own. */
export const genericPrinters: Readonly<Record<string, Printer>> = {
  APIService: printer([
    cell('Service', (object) => {
      const service = objectAt(object, 'spec').service;
      return isObject(service) ? `${service.namespace}/${service.name}` : 'Local';
    }),
    cell('Available', (object) => {
      const { status, reason } = conditionOf(object, 'Available') ?? {};
      if (status === undefined) return 'Unknown';
      return status === 'True' ? 'True' : `${status} (${reason})`;
    }),
    ageCell,
  ]),
  CertificateSigningRequest: printer([
    ageCell,
    field('SignerName', 'spec.signerName', none),
    field('Requestor', 'spec.username'),
    field('RequestedDuration', 'spec.expirationSeconds', none),
    cell('Condition', (object) => {
      const conditions = objectsAt(objectAt(object, 'status'), 'conditions');
      const types = conditions.map(({ type }) => String(type)).sort();
      const issued = objectAt(object, 'status').certificate === undefined ? [] : ['Issued'];
      return joined([...types, ...issued], 'Pending');
    }),
  ]),
  ControllerRevision: printer([
    cell('Controller', controllerOf),
    cell('Revision', ({ revision }) => revision ?? 0),
    ageCell,
  ]),
  CSIDriver: printer([
    field('AttachRequired', 'spec.attachRequired', true),
    field('PodInfoOnMount', 'spec.podInfoOnMount', false),
    field('StorageCapacity', 'spec.storageCapacity', false),
    cell('TokenRequests', ({ spec }) =>
      joined(
        objectsAt(objectAt({ spec }, 'spec'), 'tokenRequests').map(({ audience }) => audience),
        unset,
      ),
    ),
    field('RequiresRepublish', 'spec.requiresRepublish', false),
    cell('Modes', ({ spec }) => joined(listAt(objectAt({ spec }, 'spec'), 'volumeLifecycleModes'))),
    ageCell,
  ]),
  CSINode: printer([count('Drivers', 'spec.drivers'), ageCell]),
  CSIStorageCapacity: printer([createdAtCell]),
  Endpoints: printer([cell('Endpoints', subsets), ageCell]),
  EndpointSlice: printer([
    field('AddressType', 'addressType'),
    cell('Ports', slicePorts),
    cell('Endpoints', (object) =>
      firstOf(
        objectsAt(object, 'endpoints').flatMap((one) => listAt(one, 'addresses').map(String)),
        shown,
      ),
    ),
    ageCell,
  ]),
  FlowSchema: printer([
    field('PriorityLevel', 'spec.priorityLevelConfiguration.name', none),
    field('MatchingPrecedence', 'spec.matchingPrecedence'),
    field('DistinguisherMethod', 'spec.distinguisherMethod.type', none),
    ageCell,
    cell('MissingPL', (object) => conditionOf(object, 'Dangling')?.status ?? '?'),
  ]),
  IngressClass: printerOf([
    defaultName('ingressclass.kubernetes.io/is-default-class'),
    field('Controller', 'spec.controller'),
    cell('Parameters', parameters),
    ageCell,
  ]),
  IPAddress: printer([cell('ParentRef', parentOf)]),
  LimitRange: printer([createdAtCell]),
  MutatingAdmissionPolicy: printer([count('Mutations', 'spec.mutations'), paramKind, ageCell]),
  MutatingAdmissionPolicyBinding: printer([
    field('PolicyName', 'spec.policyName'),
    paramRef,
    ageCell,
  ]),
  MutatingWebhookConfiguration: printer([count('Webhooks', 'webhooks'), ageCell]),
  Node: printer([
    cell('Status', nodeStatus),
    cell('Roles', nodeRoles),
    ageCell,
    field('Version', 'status.nodeInfo.kubeletVersion'),
    cell('Internal-IP', nodeAddress('InternalIP'), wide),
    cell('External-IP', nodeAddress('ExternalIP'), wide),
    cell('OS-Image', nodeInfo('osImage'), wide),
    cell('Kernel-Version', kernel, wide),
    cell('Container-Runtime', nodeInfo('containerRuntimeVersion'), wide),
  ]),
  PersistentVolume: printer([
    field('Capacity', 'spec.capacity.storage', '0'),
    cell('Access Modes', ({ spec }) =>
      listAt(objectAt({ spec }, 'spec'), 'accessModes')
        .map((mode) => accessModes[String(mode)])
        .join(','),
    ),
    field('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
    cell('Status', (object) =>
      valueAt(object, 'metadata.deletionTimestamp')
        ? 'Terminating'
        : valueAt(object, 'status.phase'),
    ),
    cell('Claim', (object) => {
      const claim = objectAt(object, 'spec').claimRef;
      return isObject(claim) ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '';
    }),
    field('StorageClass', 'spec.storageClassName'),
    field('VolumeAttributesClass', 'spec.volumeAttributesClassName', unset),
    field('Reason', 'status.reason'),
    ageCell,
    { ...field('VolumeMode', 'spec.volumeMode', unset), priority: 1 },
  ]),
  PodTemplate: printer([
    ...containerCells((object) => objectAt(object, 'template')),
    cell('Pod Labels', (object) =>
      selectorText(objectAt(objectAt(objectAt(object, 'template'), 'metadata'), 'labels')),
    ),
  ]),
  PriorityClass: printer([
    field('Value', 'value', 0),
    field('Global-Default', 'globalDefault', false),
    ageCell,
    field('PreemptionPolicy', 'preemptionPolicy'),
  ]),
  PriorityLevelConfiguration: printer([
    field('Type', 'spec.type'),
    field('NominalConcurrencyShares', 'spec.limited.nominalConcurrencyShares', none),
    field('Queues', `${queuing}.queues`, none),
    field('HandSize', `${queuing}.handSize`, none),
    field('QueueLengthLimit', `${queuing}.queueLengthLimit`, none),
    ageCell,
  ]),
  ReplicationController: printer([
    number('Desired', (object) => specCount(object, 'replicas')),
    number('Current', (object) => statusCount(object, 'replicas')),
    number('Ready', (object) => statusCount(object, 'readyReplicas')),
    ageCell,
    ...workloadCells,
  ]),
  ResourceClaim: printer([
    cell('State', (object) => {
      const status = objectAt(object, 'status');
      const allocated = status.allocation !== undefined;
      const reserved = listAt(status, 'reservedFor').length > 0;
      const states = [
        ...(valueAt(object, 'metadata.deletionTimestamp') ? ['deleted'] : []),
        ...(allocated ? ['allocated'] : []),
        ...(reserved ? ['reserved'] : []),
      ];
      return joined(states, 'pending');
    }),
    ageCell,
  ]),
  ResourceQuota: printer([cell('Request', quota(false)), cell('Limit', quota(true)), ageCell]),
  ResourceSlice: printer([
    field('Node', 'spec.nodeName'),
    field('Driver', 'spec.driver'),
    field('Pool', 'spec.pool.name'),
    ageCell,
  ]),
  RuntimeClass: printer([field('Handler', 'handler'), ageCell]),
  ServiceCIDR: printer([
    cell('CIDRs', ({ spec }) => listAt(objectAt({ spec }, 'spec'), 'cidrs').join(',')),
    ageCell,
  ]),
  StorageClass: printerOf([
    defaultName('storageclass.kubernetes.io/is-default-class'),
    field('Provisioner', 'provisioner'),
    field('ReclaimPolicy', 'reclaimPolicy'),
    field('VolumeBindingMode', 'volumeBindingMode'),
    { ...field('AllowVolumeExpansion', 'allowVolumeExpansion', false), type: 'string' },
    ageCell,
  ]),
  ValidatingAdmissionPolicy: printer([
    count('Validations', 'spec.validations'),
    paramKind,
    ageCell,
  ]),
  ValidatingAdmissionPolicyBinding: printer([
    field('PolicyName', 'spec.policyName'),
    paramRef,
    ageCell,
  ]),
  ValidatingWebhookConfiguration: printer([count('Webhooks', 'webhooks'), ageCell]),
  VolumeAttachment: printer([
    { ...field('Attacher', 'spec.attacher'), format: 'name' },
    field('PV', 'spec.source.persistentVolumeName'),
    field('Node', 'spec.nodeName'),
    field('Attached', 'status.attached', false),
    ageCell,
  ]),
  VolumeAttributesClass: printer([field('DriverName', 'driverName'), ageCell]),
};
