/** A kind that owns every type a child can have, with one child of each and an edit of it by others. */

import { Type } from 'typebox';
import * as index from '../../index.ts';
import { isSameType, type JsonObject, type ResourceType } from '../../shared/kubernetes.ts';

const { child, defineChildType, defineKind } = index;

/** A custom resource that another controller reconciles. */
export const certificate = defineChildType<{ spec: { secretName: string; dnsNames: string[] } }>({
  group: 'certificates.example.org',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
});

/** The definition of the same, as its controller would install it. */
export const certificateDefinition = defineKind({
  group: certificate.group,
  version: certificate.version,
  kind: certificate.kind,
  plural: certificate.plural,
  spec: Type.Object({
    secretName: Type.String(),
    dnsNames: Type.Array(Type.String()),
    duration: Type.String({ default: '2160h' }),
  }),
  samples: [],
  owns: [],
  children: () => [],
});

/** A kind of this configuration that is a child of another one. */
export const note = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  spec: Type.Object({ text: Type.String() }),
  samples: [],
  owns: [index.configMap],
  children: ({ name, spec: { text } }) => [
    child(index.configMap, { name: `${name}-note`, body: { data: { text } } }),
  ],
});

const labels = { app: 'garden' };
const selector = { matchLabels: labels };
const metadata = { labels };
const resources = {
  requests: { cpu: '0.1', memory: '1024Mi' },
  limits: { memory: 2_147_483_648 },
};
const containers = [{ name: 'app', image: 'nginx:1', resources }];
const template: index.api.PodTemplateSpec = {
  metadata,
  spec: { containers, volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '1024Mi' } }] },
};
const once: index.api.PodTemplateSpec = {
  metadata,
  spec: { containers, restartPolicy: 'Never' },
};
const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];

interface Case {
  readonly wanted: index.Child;
  /** A merge patch by someone else, and the path of what it changes. */
  readonly edit: JsonObject;
  readonly path: string;
}

function caseOf<Body extends object>(
  type: index.ChildType<Body>,
  {
    body,
    edit,
    path,
  }: { readonly body: NoInfer<Body>; readonly edit: JsonObject; readonly path: string },
): Case {
  return { wanted: child(type, { name: 'garden', labels: { tier: 'one' }, body }), edit, path };
}

/** What the server lets nobody change in the body is edited in the labels. */
const relabelled = {
  edit: { metadata: { labels: { tier: 'two' } } },
  path: 'metadata.labels.tier',
};

export const cases: readonly Case[] = [
  caseOf(index.configMap, {
    body: { data: { a: '1', 'b.conf': 'x\n' } },
    edit: { data: { a: '2' } },
    path: 'data.a',
  }),
  caseOf(index.secret, {
    body: { type: 'Opaque', data: { a: 'MQ==' } },
    edit: { data: { a: 'Mg==' } },
    path: 'data.a',
  }),
  caseOf(index.serviceAccount, {
    body: { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'registry' }] },
    edit: { automountServiceAccountToken: true },
    path: 'automountServiceAccountToken',
  }),
  caseOf(index.service, {
    body: {
      spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] },
    },
    edit: { spec: { selector: { app: 'other' } } },
    path: 'spec.selector',
  }),
  caseOf(index.persistentVolumeClaim, {
    body: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'standard',
        resources: { requests: { storage: '1024Mi' } },
      },
    },
    ...relabelled,
  }),
  caseOf(index.pod, { body: { spec: { containers } }, ...relabelled }),
  caseOf(index.resourceQuota, {
    body: { spec: { hard: { 'requests.cpu': '1000m', pods: 10, 'requests.storage': '1024Gi' } } },
    edit: { spec: { hard: { pods: '20' } } },
    path: 'spec.hard.pods',
  }),
  caseOf(index.limitRange, {
    body: { spec: { limits: [{ type: 'Container', max: { cpu: '2000m', memory: '1024Mi' } }] } },
    edit: { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
    path: 'spec.limits',
  }),
  caseOf(index.deployment, {
    body: { spec: { replicas: 1, selector, template } },
    edit: { spec: { replicas: 3 } },
    path: 'spec.replicas',
  }),
  caseOf(index.statefulSet, {
    body: {
      spec: {
        replicas: 1,
        serviceName: 'garden',
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1024Mi' } },
            },
          },
        ],
      },
    },
    edit: { spec: { replicas: 3 } },
    path: 'spec.replicas',
  }),
  caseOf(index.daemonSet, {
    body: { spec: { selector, template, minReadySeconds: 5 } },
    edit: { spec: { minReadySeconds: 9 } },
    path: 'spec.minReadySeconds',
  }),
  caseOf(index.job, {
    body: { spec: { backoffLimit: 3, template: once } },
    edit: { spec: { backoffLimit: 9 } },
    path: 'spec.backoffLimit',
  }),
  caseOf(index.cronJob, {
    body: {
      spec: {
        schedule: '*/5 * * * *',
        concurrencyPolicy: 'Forbid',
        timeZone: 'Etc/UTC',
        jobTemplate: { spec: { template: once } },
      },
    },
    edit: { spec: { schedule: '0 0 * * *' } },
    path: 'spec.schedule',
  }),
  caseOf(index.horizontalPodAutoscaler, {
    body: {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'garden' },
        maxReplicas: 1,
        metrics: [
          {
            type: 'Pods',
            pods: {
              metric: { name: 'requests' },
              target: { type: 'AverageValue', averageValue: '1000m' },
            },
          },
        ],
      },
    },
    edit: { spec: { maxReplicas: 9 } },
    path: 'spec.maxReplicas',
  }),
  caseOf(index.podDisruptionBudget, {
    body: { spec: { minAvailable: '50%', selector } },
    edit: { spec: { minAvailable: 1 } },
    path: 'spec.minAvailable',
  }),
  caseOf(index.networkPolicy, {
    body: {
      spec: {
        podSelector: selector,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }, { port: 'http' }] }],
        egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
      },
    },
    edit: { spec: { ingress: [] } },
    path: 'spec.ingress',
  }),
  caseOf(index.ingress, {
    body: { spec: { ingressClassName: 'nginx', rules: [{ host: 'garden.example.org' }] } },
    edit: { spec: { ingressClassName: 'other' } },
    path: 'spec.ingressClassName',
  }),
  caseOf(index.role, {
    body: { rules },
    edit: { rules: [{ ...rules[0], verbs: ['get', 'list'] }] },
    path: 'rules',
  }),
  caseOf(index.roleBinding, {
    body: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'garden' },
      subjects: [
        { kind: 'ServiceAccount', name: 'garden', namespace: 'default' },
        { kind: 'User', name: 'jane' },
      ],
    },
    edit: { subjects: [] },
    path: 'subjects',
  }),
  caseOf(index.lease, {
    body: { spec: { holderIdentity: 'garden', leaseDurationSeconds: 15 } },
    edit: { spec: { holderIdentity: 'other' } },
    path: 'spec.holderIdentity',
  }),
  caseOf(index.endpointSlice, {
    body: {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'] }],
      ports: [{ name: 'http', port: 80 }],
    },
    edit: { endpoints: [] },
    path: 'endpoints',
  }),
  caseOf(index.resourceClaim, {
    body: {
      spec: {
        devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.org' } }] },
      },
    },
    ...relabelled,
  }),
  caseOf(index.resourceClaimTemplate, {
    body: {
      spec: {
        spec: {
          devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.org' } }] },
        },
      },
    },
    ...relabelled,
  }),
  caseOf(certificate, {
    body: { spec: { secretName: 'garden', dnsNames: ['garden.example.org'] } },
    edit: { spec: { secretName: 'other' } },
    path: 'spec.secretName',
  }),
  caseOf(note, {
    body: { spec: { text: 'one' } },
    edit: { spec: { text: 'two' } },
    path: 'spec.text',
  }),
];

/** Of a resource: every child, or none. */
export const garden = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Garden',
  plural: 'gardens',
  spec: Type.Object({ isEmpty: Type.Boolean({ default: false }) }),
  samples: [],
  owns: cases.map(({ wanted }) => wanted.type),
  children: ({ spec: { isEmpty } }) => (isEmpty ? [] : cases.map(({ wanted }) => wanted)),
});

export const isCovered = (type: ResourceType): boolean =>
  cases.some(({ wanted }) => isSameType(wanted.type, type));
