import { since136, sinceOfKind } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { defaultedPodTemplate } from '../defaulted-pods.ts';
import { get, post } from '../requests.ts';
import { smallestObjects } from '../smallest.ts';

interface Created {
  /** The complete fields that differ from the request. */
  readonly shows?: Readonly<Record<string, unknown>>;
  readonly generation?: number;
  readonly finalizers?: readonly string[];
  /** Names of columns, each with its type if that is not string, and with the mark for wide tables. */
  readonly columns: string;
}

/** The smallest object of each kind, as the server stores it. */
const created: Readonly<Record<string, Created>> = {
  Endpoints: { columns: 'Name, Endpoints, Age' },
  LimitRange: { columns: 'Name, Created At:date' },
  Node: {
    shows: {
      spec: {},
      status: {
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          machineID: '',
          systemUUID: '',
          bootID: '',
          kernelVersion: '',
          osImage: '',
          containerRuntimeVersion: '',
          kubeletVersion: '',
          kubeProxyVersion: '',
          operatingSystem: '',
          architecture: '',
        },
      },
    },
    columns:
      'Name, Status, Roles, Age, Version, Internal-IP:string:wide, External-IP:string:wide, OS-Image:string:wide, Kernel-Version:string:wide, Container-Runtime:string:wide',
  },
  PersistentVolume: {
    shows: {
      spec: {
        capacity: { storage: '1Gi' },
        hostPath: { path: '/x', type: '' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'none',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Pending', lastPhaseTransitionTime: /^20/ },
    },
    columns:
      'Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, VolumeMode:string:wide',
    finalizers: ['kubernetes.io/pv-protection'],
  },
  PodTemplate: {
    shows: { template: defaultedPodTemplate() },
    columns: 'Name, Containers, Images, Pod Labels',
    generation: 1,
  },
  ReplicationController: {
    shows: {
      spec: {
        replicas: 0,
        selector: { app: 'web' },
        template: defaultedPodTemplate(),
      },
      status: { replicas: 0 },
    },
    columns:
      'Name, Desired:integer, Current:integer, Ready:integer, Age, Containers:string:wide, Images:string:wide, Selector:string:wide',
    generation: 1,
  },
  ResourceQuota: {
    shows: { spec: { hard: { pods: '1' } }, status: {} },
    columns: 'Name, Request, Limit, Age',
  },
  APIService: {
    shows: {
      spec: {
        service: { namespace: '{ns}', name: 'none', port: 443 },
        group: '{ns}.example.com',
        version: 'v1',
        groupPriorityMinimum: 10,
        versionPriority: 10,
      },
      status: {},
    },
    columns: 'Name, Service, Available, Age',
  },
  ControllerRevision: { columns: 'Name, Controller, Revision, Age' },
  DaemonSet: {
    shows: {
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: defaultedPodTemplate({ nodeSelector: { no: 'node' } }),
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
        },
        revisionHistoryLimit: 10,
      },
      status: {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      },
    },
    columns:
      'Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age, Containers:string:wide, Images:string:wide, Selector:string:wide',
    generation: 1,
  },
  CronJob: {
    shows: {
      spec: {
        schedule: '0 0 1 1 *',
        concurrencyPolicy: 'Allow',
        suspend: false,
        jobTemplate: {
          metadata: {},
          spec: {
            template: defaultedPodTemplate({ restartPolicy: 'Never' }),
          },
        },
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      },
      status: {},
    },
    columns:
      'Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age, Containers:string:wide, Images:string:wide, Selector:string:wide',
    generation: 1,
  },
  IngressClass: { columns: 'Name, Controller, Parameters, Age', generation: 1 },
  IPAddress: { columns: 'Name, ParentRef' },
  NetworkPolicy: {
    shows: { spec: { podSelector: {}, policyTypes: ['Ingress'] } },
    columns: 'Name, Pod-Selector, Age',
    generation: 1,
  },
  ServiceCIDR: { shows: { status: {} }, columns: 'Name, CIDRs, Age' },
  PodDisruptionBudget: {
    shows: {
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    },
    columns: 'Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age',
    generation: 1,
  },
  CSIDriver: {
    shows: {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        volumeLifecycleModes: ['Persistent'],
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
    columns:
      'Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age',
  },
  CSINode: { shows: { spec: { drivers: null } }, columns: 'Name, Drivers:integer, Age' },
  CSIStorageCapacity: { columns: 'Name, Created At:date' },
  StorageClass: {
    shows: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
    columns: 'Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
  },
  VolumeAttachment: {
    shows: { status: { attached: false } },
    columns: 'Name, Attacher, PV, Node, Attached:boolean, Age',
  },
  VolumeAttributesClass: {
    columns: 'Name, DriverName, Age',
    finalizers: ['kubernetes.io/vac-protection'],
  },
  MutatingAdmissionPolicy: {
    shows: {
      spec: {
        matchConstraints: {
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [
            {
              operations: ['CREATE'],
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['configmaps'],
              scope: '*',
            },
          ],
          matchPolicy: 'Equivalent',
        },
        mutations: [
          {
            patchType: 'JSONPatch',
            jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/x"}]' },
          },
        ],
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
      },
    },
    columns: 'Name, Mutations:integer, ParamKind, Age',
    generation: 1,
  },
  MutatingAdmissionPolicyBinding: { columns: 'Name, PolicyName, ParamRef, Age', generation: 1 },
  MutatingWebhookConfiguration: { columns: 'Name, Webhooks:integer, Age', generation: 1 },
  ValidatingAdmissionPolicy: {
    shows: {
      spec: {
        matchConstraints: {
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [
            {
              operations: ['CREATE'],
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['configmaps'],
              scope: '*',
            },
          ],
          matchPolicy: 'Equivalent',
        },
        validations: [{ expression: 'true' }],
        failurePolicy: 'Fail',
      },
      status: {},
    },
    columns: 'Name, Validations:integer, ParamKind, Age',
    generation: 1,
  },
  ValidatingAdmissionPolicyBinding: { columns: 'Name, PolicyName, ParamRef, Age', generation: 1 },
  ValidatingWebhookConfiguration: { columns: 'Name, Webhooks:integer, Age', generation: 1 },
  PriorityClass: {
    shows: { preemptionPolicy: 'PreemptLowerPriority' },
    columns: 'Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy',
    generation: 1,
  },
  RuntimeClass: { columns: 'Name, Handler, Age' },
  EndpointSlice: {
    shows: { endpoints: null },
    columns: 'Name, AddressType, Ports, Endpoints, Age',
    generation: 1,
  },
  DeviceClass: { columns: 'Name, Age', generation: 1 },
  ResourceClaim: {
    shows: {
      spec: {
        devices: {
          requests: [
            {
              name: 'one',
              exactly: { deviceClassName: 'any', allocationMode: 'ExactCount', count: 1 },
            },
          ],
        },
      },
      status: {},
    },
    columns: 'Name, State, Age',
  },
  ResourceClaimTemplate: {
    shows: {
      spec: {
        metadata: {},
        spec: {
          devices: {
            requests: [
              {
                name: 'one',
                exactly: { deviceClassName: 'any', allocationMode: 'ExactCount', count: 1 },
              },
            ],
          },
        },
      },
    },
    columns: 'Name, Age',
  },
  ResourceSlice: { columns: 'Name, Node, Driver, Pool, Age', generation: 1 },
  FlowSchema: {
    shows: {
      spec: { priorityLevelConfiguration: { name: 'none' }, matchingPrecedence: 1000 },
      status: {},
    },
    columns: 'Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL',
    generation: 1,
  },
  PriorityLevelConfiguration: {
    shows: {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 30,
          limitResponse: { type: 'Reject' },
          lendablePercent: 0,
        },
      },
      status: {},
    },
    columns: 'Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age',
    generation: 1,
  },
};

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export const cases: readonly ContractCase[] = smallestObjects.map(({ path, object }) => {
  const { apiVersion: _, metadata: _metadata, kind, ...sent } = object;
  const { shows = {}, generation, finalizers, columns = '' } = created[kind] ?? {};
  const served = sinceOfKind[kind];
  const shown = kind === 'ResourceSlice' ? since136.sliceDevices : served;
  return {
    id: kind.toLowerCase(),
    reason: 'what is left out of a built-in kind gets its default, and a status its zero values',
    steps: [
      {
        ...(shown ? { since: shown } : {}),
        request: post(path, object, { dryRun: 'All' }),
        expect: {
          status: 201,
          body: { metadata: { generation, finalizers } },
          at: { ...sent, ...shows },
        },
      },
      {
        ...(served ? { since: served } : {}),
        request: { ...get(path), headers: { accept } },
        expect: {
          status: 200,
          body: {
            columnDefinitions: columns.split(', ').map((column) => {
              const [name, type = 'string', wide] = column.split(':');
              return { name, type, priority: wide === undefined ? 0 : 1 };
            }),
          },
        },
      },
    ],
  };
});
