import { isObject, listAt, objectAt, objectsAt, valueAt } from '../../json/value.ts';
import { number, selectorText, specCount, statusCount } from '../../printing/cells.ts';
import {
  ageCell,
  cell,
  createdAtCell,
  type Printer,
  printer,
  printerOf,
} from '../../printing/printer.ts';
import { containerCells, workloadCells } from '../workload/printers.ts';

import {
  accessModes,
  conditionOf,
  controllerOf,
  count,
  defaultName,
  field,
  firstOf,
  joined,
  kernel,
  nodeAddress,
  nodeInfo,
  nodeRoles,
  nodeStatus,
  none,
  parameters,
  paramKind,
  paramRef,
  parentOf,
  quota,
  shown,
  slicePorts,
  subsets,
  unset,
} from './cells.ts';

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
