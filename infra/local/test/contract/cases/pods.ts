import type { ContractCase, Step } from '../contract-case.ts';
import { type InvalidField, invalid } from '../errors.ts';
import { paths } from '../objects.ts';
import { expressions, required } from '../pod-manifests.ts';
import { jsonPatch, mergePatch, post } from '../requests.ts';

/** A pod that needs no ServiceAccount token. */
const pod = (spec: object, resources: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x' },
  spec: {
    automountServiceAccountToken: false,
    containers: [{ name: 'a', image: 'nginx:1', resources }],
    ...spec,
  },
});

/** Waits for the namespace's ServiceAccount, without which the real server refuses pods. */
const created = (spec: object, query?: Readonly<Record<string, string>>): Step => ({
  request: post(paths.pods, pod(spec), query),
  eventually: true,
  expect: { status: 201 },
});

const change = (spec: object, ...want: readonly InvalidField[]): Step => ({
  request: mergePatch(`${paths.pods}/x`, { spec }),
  expect: want.length === 0 ? { status: 200 } : { status: 422, error: invalid('Pod', 'x', want) },
});

const container = (fields: object) => ({
  containers: [{ name: 'a', image: 'nginx:1', ...fields }],
});

/** The real server adds a diff of its own structures. */
const fixed = (spec: object): Step => ({
  request: mergePatch(`${paths.pods}/x`, { spec }),
  expect: {
    status: 422,
    body: {
      reason: 'Invalid',
      message:
        /^Pod "x" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,`spec\.initContainers\[\*\]\.image`,`spec\.activeDeadlineSeconds`,`spec\.tolerations` \(only additions to existing tolerations\),`spec\.terminationGracePeriodSeconds` \(allow it to be set to 1 if it was previously negative\)/,
      details: { causes: [{ reason: 'FieldValueForbidden', field: 'spec' }] },
    },
  },
});

const forbidden = 'FieldValueForbidden';
const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute' };
const node = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { [required]: { nodeSelectorTerms } } },
});
const inZone = { key: 'zone', operator: 'In', values: ['a'] };
const onDisk = { key: 'disk', operator: 'Exists' };
/** The server shows its own structure. */
const shown = (...requirements: readonly object[]) =>
  JSON.stringify({ MatchExpressions: requirements, MatchFields: null });
const shownZone = { Key: 'zone', Operator: 'In', Values: ['a'] };
const shownDisk = { Key: 'disk', Operator: 'Exists', Values: null };
const terms = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;

const quality = (resources: object, qosClass: string): Step => ({
  request: post(paths.pods, pod({}, resources), { dryRun: 'All' }),
  expect: { status: 201, at: { 'status.qosClass': qosClass } },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'qualities',
    reason: 'a pod that requests what it is limited to is evicted last',
    steps: [
      created({}, { dryRun: 'All' }),
      quality({}, 'BestEffort'),
      quality({ requests: { 'ephemeral-storage': '1Gi' } }, 'BestEffort'),
      quality({ requests: { cpu: '0' } }, 'BestEffort'),
      quality({ requests: { cpu: '1' } }, 'Burstable'),
      quality({ limits: { cpu: '1' } }, 'Burstable'),
      quality({ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'),
      quality(
        { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } },
        'Guaranteed',
      ),
      quality({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0.5' } }, 'Burstable'),
      quality({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0' } }, 'Burstable'),
    ],
  },
  {
    id: 'fixed-spec',
    reason: 'a kind that changes its pod is refused here, not only in production',
    steps: [
      created({ initContainers: [{ name: 'i', image: 'busybox:1' }] }),
      change(container({ image: 'nginx:2' })),
      change({ initContainers: [{ name: 'i', image: 'busybox:2' }] }),
      fixed(container({ resources: { limits: { cpu: '1' } } })),
      fixed(container({ name: 'b' })),
      fixed(container({ env: [{ name: 'A', value: '1' }] })),
      fixed({ restartPolicy: 'Never' }),
      fixed({ terminationGracePeriodSeconds: 1 }),
      fixed({ nodeSelector: { zone: 'a' } }),
      fixed(node(expressions(inZone))),
      change({ securityContext: {}, volumes: [], hostAliases: [] }),
      change({ containers: [...container({}).containers, { name: 'b', image: 'nginx:1' }] }, [
        'spec.containers',
        'Forbidden: pod updates may not add or remove containers',
        forbidden,
      ]),
      change({ initContainers: null }, [
        'spec.initContainers',
        'Forbidden: pod updates may not add or remove containers',
        forbidden,
      ]),
      {
        request: mergePatch(`${paths.pods}/x`, { metadata: { labels: { a: 'b' } } }),
        expect: { status: 200 },
      },
    ],
  },
  {
    id: 'deadlines',
    reason: 'a deadline may be set and shortened',
    steps: [
      created({}),
      change({ activeDeadlineSeconds: 100 }),
      change({ activeDeadlineSeconds: 50 }),
      change({ activeDeadlineSeconds: 60 }, [
        'spec.activeDeadlineSeconds',
        'Invalid value: 60: must be less than or equal to previous value',
      ]),
      change({ activeDeadlineSeconds: null }, [
        'spec.activeDeadlineSeconds',
        'Invalid value: null: must not update from a positive integer to nil value',
      ]),
    ],
  },
  {
    id: 'tolerations',
    reason: 'tolerations may be added',
    steps: [
      created({ tolerations: [toleration] }),
      {
        request: jsonPatch(`${paths.pods}/x`, [
          { op: 'add', path: '/spec/tolerations/-', value: { key: 'b', operator: 'Exists' } },
          { op: 'add', path: '/spec/tolerations/0/tolerationSeconds', value: 5 },
        ]),
        expect: { status: 200 },
      },
      change({ tolerations: [{ ...toleration, key: 'c' }] }, [
        'spec.tolerations',
        'Forbidden: existing toleration can not be modified except its tolerationSeconds',
        forbidden,
      ]),
    ],
  },
  {
    id: 'gates',
    reason: 'a gated pod can still be placed',
    steps: [
      created({
        schedulingGates: [{ name: 'a' }, { name: 'b' }],
        nodeSelector: { zone: 'a' },
        ...node(expressions(inZone)),
      }),
      change({ schedulingGates: [{ name: 'a' }, { name: 'c' }] }, [
        'spec.schedulingGates[1].name',
        "Forbidden: only deletion is allowed, but found new scheduling gate 'c'",
        forbidden,
      ]),
      change({ nodeSelector: { disk: 'ssd' } }),
      change({ nodeSelector: { disk: 'hdd' } }, [
        'spec.nodeSelector',
        'Invalid value: {"disk":"hdd","zone":"a"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ]),
      change(node(expressions(inZone, onDisk))),
      change(node(expressions(onDisk)), [
        `${terms}[0]`,
        `Invalid value: ${shown(shownDisk)}: only additions are allowed (no mutations or deletions)`,
      ]),
      change(node(expressions(inZone, onDisk), expressions(onDisk)), [
        terms,
        `Invalid value: [${shown(shownZone, shownDisk)},${shown(shownDisk)}]: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ]),
      fixed({ restartPolicy: 'Never' }),
      change({ schedulingGates: null }),
      fixed({ nodeSelector: { rack: '1' } }),
    ],
  },
];
