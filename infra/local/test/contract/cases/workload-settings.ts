import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { autoscaler, ingress, paths, podTemplate, statefulSet } from '../objects.ts';

const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } };
const value = (amount: string) => ({ type: 'Value', value: amount });
const average = (amount: string) => ({ type: 'AverageValue', averageValue: amount });
const metric = (...metrics: object[]) => autoscaler('x', { metrics });
const described = { apiVersion: 'v1', kind: 'Service', name: 'web' };
const scaleDown = (rules: object) => autoscaler('x', { behavior: { scaleDown: rules } });
const of = (spec: object) => statefulSet('x', spec);
const claim = (spec: object, metadata: object = { name: 'data' }) =>
  of({
    volumeClaimTemplates: [
      {
        metadata,
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          ...spec,
        },
      },
    ],
  });
const { spec: pods, metadata } = podTemplate();

export const cases: readonly ContractCase[] = [
  {
    id: 'autoscaler-target',
    reason: 'a scale target has a group, a kind and a name',
    steps: judged(paths.autoscalers, 'HorizontalPodAutoscaler.autoscaling', [
      {
        given: autoscaler('x', { scaleTargetRef: { apiVersion: 'a/b/c', kind: 'A', name: 'a' } }),
        want: [
          [
            'spec.scaleTargetRef.apiVersion',
            'Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
          ],
        ],
      },
      {
        given: autoscaler('x', { scaleTargetRef: { apiVersion: 'v1', kind: 'A', name: 'a' } }),
        want: [
          [
            'spec.scaleTargetRef.apiVersion',
            'Invalid value: "v1": apiVersion must specify API group',
          ],
        ],
      },
      {
        given: autoscaler('x', { scaleTargetRef: { kind: 'A', name: 'a' } }),
        want: [
          [
            'spec.scaleTargetRef.apiVersion',
            'Invalid value: "": apiVersion must specify API group',
          ],
        ],
      },
    ]),
  },
  {
    id: 'autoscaler-metrics',
    reason: 'a metric has one source, a name and a target',
    steps: judged(paths.autoscalers, 'HorizontalPodAutoscaler.autoscaling', [
      {
        given: metric({
          type: 'Resource',
          resource,
          pods: { metric: { name: 'a' }, target: average('1') },
        }),
        want: [
          [
            'spec.metrics[0].pods',
            'Forbidden: must populate the given metric source only',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: metric({ type: 'Pods', pods: { metric: { name: 'a/b' }, target: average('1') } }),
        want: [['spec.metrics[0].pods.metric.name', 'Invalid value: "a/b": may not contain \'/\'']],
      },
      {
        given: metric({ type: 'Pods', pods: { metric: { name: '' }, target: average('1') } }),
        want: [
          [
            'spec.metrics[0].pods.metric.name',
            'Required value: must specify a metric name',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: metric({ type: 'Pods', pods: { metric: { name: 'a' }, target: value('1') } }),
        want: [
          [
            'spec.metrics[0].pods.target.averageValue',
            'Required value: must specify a positive target averageValue',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: metric({ type: 'Pods', pods: { metric: { name: 'a' }, target: average('0') } }),
        want: [
          ['spec.metrics[0].pods.target.averageValue', 'Invalid value: "0": must be positive'],
        ],
      },
      {
        given: metric({
          type: 'Object',
          object: { metric: { name: 'a' }, describedObject: described, target: value('0') },
        }),
        want: [['spec.metrics[0].object.target.value', 'Invalid value: "0": must be positive']],
      },
      {
        given: metric({
          type: 'Object',
          object: { metric: { name: 'a' }, describedObject: described, target: { type: 'Value' } },
        }),
        want: [
          [
            'spec.metrics[0].object.target.averageValue',
            'Required value: must set either a target value or averageValue',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: metric({
          type: 'Object',
          object: {
            metric: { name: 'a' },
            describedObject: { kind: '', name: '' },
            target: value('1'),
          },
        }),
        want: [
          ['spec.metrics[0].object.describedObject.kind', 'Required value', 'FieldValueRequired'],
          ['spec.metrics[0].object.describedObject.name', 'Required value', 'FieldValueRequired'],
        ],
      },
      {
        given: metric({
          type: 'Object',
          object: { metric: { name: 'a' }, describedObject: described, target: value('1') },
        }),
        want: 'accepted',
      },
      {
        given: metric({
          type: 'External',
          external: { metric: { name: 'a' }, target: value('1') },
        }),
        want: 'accepted',
      },
      {
        given: metric({
          type: 'External',
          external: {
            metric: { name: 'a/b' },
            target: { type: 'Value', value: '1', averageValue: '1' },
          },
        }),
        want: [
          ['spec.metrics[0].external.metric.name', 'Invalid value: "a/b": may not contain \'/\''],
          [
            'spec.metrics[0].external.target.value',
            'Forbidden: may not set both a target value for metric and a per-pod target',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: metric({
          type: 'External',
          external: {
            metric: { name: 'a', selector: { matchLabels: { 'a b': '' } } },
            target: value('1'),
          },
        }),
        want: 'accepted',
      },
      {
        given: metric({
          type: 'ContainerResource',
          containerResource: { ...resource, container: 'web' },
        }),
        want: 'accepted',
      },
      {
        given: metric({
          type: 'ContainerResource',
          containerResource: { ...resource, container: '' },
        }),
        want: [
          [
            'spec.metrics[0].containerResource.container',
            'Required value: must specify a container',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: metric({
          type: 'ContainerResource',
          containerResource: { name: '', container: 'web', target: { type: 'Utilization' } },
        }),
        want: [
          [
            'spec.metrics[0].containerResource.name',
            'Required value: must specify a resource name',
            'FieldValueRequired',
          ],
          [
            'spec.metrics[0].containerResource.target.averageUtilization',
            'Required value: must set either a target raw value or a target utilization',
            'FieldValueRequired',
          ],
        ],
      },
    ]),
  },
  {
    id: 'autoscaler-behavior',
    reason: 'scaling rules have policies, or defaults',
    steps: judged(paths.autoscalers, 'HorizontalPodAutoscaler.autoscaling', [
      {
        since: since135.autoscalerTolerance,
        given: scaleDown({ tolerance: '-1' }),
        want: [
          [
            'spec.behavior.scaleDown.tolerance',
            'Invalid value: "-1": must be greater than or equal to 0',
          ],
        ],
      },
      { given: scaleDown({ tolerance: '0.1' }), want: 'accepted' },
    ]),
  },
  {
    id: 'stateful-set',
    reason: 'a StatefulSet has an update strategy and a claim retention policy',
    steps: judged(paths.statefulSets, 'StatefulSet.apps', [
      {
        given: of({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'x' } }),
        want: [
          [
            'spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
            'Unsupported value: "x": supported values: "Retain", "Delete"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: of({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'x' } }),
        want: [
          [
            'spec.persistentVolumeClaimRetentionPolicy.whenScaled',
            'Unsupported value: "x": supported values: "Retain", "Delete"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: of({ updateStrategy: { type: 'x' } }),
        want: [
          [
            'spec.updateStrategy',
            'Invalid value: {"Type":"x","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
          ],
        ],
      },
      {
        given: of({ template: { metadata, spec: { ...pods, activeDeadlineSeconds: 10 } } }),
        want: [
          [
            'spec.template.spec.activeDeadlineSeconds',
            'Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: of({ template: { metadata, spec: { ...pods, hostname: 'A_', subdomain: 'A_' } } }),
        want: 'accepted',
      },
      {
        given: of({ template: { metadata: { labels: { app: 'web', 'a b': '' } }, spec: pods } }),
        want: [
          [
            'spec.template.labels',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
          [
            'spec.template.labels',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: of({
          selector: {
            matchLabels: { app: 'web' },
            matchExpressions: [{ key: 'app', operator: 'In' }],
          },
        }),
        want: [
          [
            'spec.selector.matchExpressions[0].values',
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
            'FieldValueRequired',
          ],
          [
            'spec.selector',
            'Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"In"}]}',
          ],
        ],
      },
    ]),
  },
  {
    id: 'claims',
    reason: 'the claim templates of a StatefulSet are validated as claims',
    steps: judged(paths.statefulSets, 'StatefulSet.apps', [
      { given: claim({}), want: 'accepted' },
      {
        given: claim({}, {}),
        want: [
          [
            'spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
            'Required value',
            'FieldValueRequired',
          ],
          ['spec.template.spec.volumes[0].name', 'Required value', 'FieldValueRequired'],
        ],
      },
      {
        given: claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
        want: [
          [
            'spec.volumeClaimTemplates[0].spec.accessModes',
            'Forbidden: may not use ReadWriteOncePod with other access modes',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: claim({ volumeMode: 'x' }),
        want: [
          [
            'spec.volumeClaimTemplates[0].spec.volumeMode',
            'Unsupported value: "x": supported values: "Block", "Filesystem"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: claim({ storageClassName: 'A_' }),
        want: [
          [
            'spec.volumeClaimTemplates[0].spec.storageClassName',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: claim({ selector: { matchLabels: { 'a b': '' } } }),
        want: [
          [
            'spec.volumeClaimTemplates[0].spec.selector.matchLabels',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: claim({ dataSource: { kind: 'A', name: 'a' } }),
        want: [
          [
            'spec.volumeClaimTemplates[0].spec.dataSource',
            'Invalid value: "A": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
          ],
        ],
      },
    ]),
  },
  {
    id: 'ingress-class',
    reason: 'class field and annotation of an Ingress must match',
    steps: judged(paths.ingresses, 'Ingress.networking.k8s.io', [
      {
        given: ingress(
          { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'a' } },
          { ingressClassName: 'b' },
        ),
        want: [
          [
            'annotations.kubernetes.io/ingress.class',
            'Invalid value: "a": must match `ingressClassName` when both are specified',
          ],
        ],
      },
      {
        given: ingress({ name: 'x', annotations: { 'kubernetes.io/ingress.class': 'a' } }),
        want: 'accepted',
      },
    ]),
  },
];
