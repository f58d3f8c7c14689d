import { since135 } from '../changes.ts';
import { container, resources, steps } from '../container-manifests.ts';
import type { ContractCase } from '../contract-case.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'resources',
    reason: 'resources have legal names, and a limit if they cannot be overcommitted',
    steps: steps([
      {
        given: resources({ requests: { 'a.b/c': '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits',
            'Required value: Limit must be set for non overcommitable resources',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: resources({ limits: { 'a.b/c': '1.5' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits[a.b/c]',
            'Invalid value: "1500m": must be an integer',
          ],
        ],
      },
      { given: resources({ limits: { 'a.b/c': '1' } }), want: 'accepted' },
      {
        given: resources({ limits: { 'a.b/c': '2' }, requests: { 'a.b/c': '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.requests',
            'Invalid value: "1": must be equal to a.b/c limit of 2',
          ],
        ],
      },
      {
        given: resources({ limits: { foo: '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits[foo]',
            'Invalid value: "foo": must be a standard resource type or fully qualified',
          ],
          [
            'spec.template.spec.containers[0].resources.limits[foo]',
            'Invalid value: "foo": must be a standard resource for containers',
          ],
        ],
      },
      {
        given: resources({ requests: { foo: '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.requests[foo]',
            'Invalid value: "foo": must be a standard resource type or fully qualified',
          ],
          [
            'spec.template.spec.containers[0].resources.requests[foo]',
            'Invalid value: "foo": must be a standard resource for containers',
          ],
        ],
      },
      {
        given: resources({ limits: { 'a b': '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits[a b]',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
          [
            'spec.template.spec.containers[0].resources.limits[a b]',
            'Invalid value: "a b": must be a standard resource for containers',
          ],
        ],
      },
      {
        given: resources({ limits: { pods: '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits[pods]',
            'Invalid value: "pods": must be a standard resource for containers',
          ],
        ],
      },
      {
        given: resources({ limits: { storage: '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits[storage]',
            'Invalid value: "storage": must be a standard resource for containers',
          ],
        ],
      },
      { given: resources({ limits: { 'ephemeral-storage': '1Gi' } }), want: 'accepted' },
      { given: resources({ limits: { 'kubernetes.io/x': '1' } }), want: 'accepted' },
      {
        given: resources({ limits: { 'requests.a.b/c': '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits[requests.a.b/c]',
            'Invalid value: "requests.a.b/c": doesn\'t follow extended resource name standard',
          ],
        ],
      },
      {
        given: resources({ limits: { 'hugepages-2Mi': '4Mi' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources',
            'Forbidden: HugePages require cpu or memory',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: resources({ limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits[hugepages-2Mi]',
            'Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
          ],
        ],
      },
      { given: resources({ limits: { 'hugepages-2Mi': '4Mi', cpu: '1' } }), want: 'accepted' },
      {
        given: resources({ requests: { 'hugepages-2Mi': '4Mi', cpu: '1' } }),
        want: [
          [
            'spec.template.spec.containers[0].resources.limits',
            'Required value: Limit must be set for non overcommitable resources',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: resources({ claims: [{ name: 'c' }] }),
        want: [
          [
            'spec.template.spec.containers[0].resources.claims[0]',
            'Not found: "c": must be one of the names in pod.spec.resourceClaims which is empty',
            'FieldValueNotFound',
          ],
        ],
      },
      {
        given: resources({ claims: [{ name: '' }] }),
        want: [
          [
            'spec.template.spec.containers[0].resources.claims[0]',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
    ]),
  },
  {
    id: 'resize',
    reason: 'only cpu and memory are resized, with known policies',
    steps: steps([
      {
        given: container({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
        want: 'accepted',
      },
      {
        given: container({
          resizePolicy: [{ resourceName: 'disk', restartPolicy: 'NotRequired' }],
        }),
        want: [
          [
            'spec.template.spec.containers[0].resizePolicy',
            'Unsupported value: "disk": supported values: "cpu", "memory"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: container({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'x' }] }),
        want: [
          [
            'spec.template.spec.containers[0].resizePolicy',
            'Unsupported value: "x": supported values: "NotRequired", "RestartContainer"',
            'FieldValueNotSupported',
          ],
        ],
      },
    ]),
  },
  {
    id: 'restart',
    reason: 'the restart policy of a container is a known one',
    steps: steps([
      { given: container({ restartPolicy: 'Always' }), want: 'accepted' },
      {
        since: since135.containerRestarts,
        given: container({ restartPolicy: 'x' }),
        want: [
          [
            'spec.template.spec.containers[0].restartPolicy',
            'Unsupported value: "x": supported values: "Always", "Never", "OnFailure"',
            'FieldValueNotSupported',
          ],
        ],
      },
    ]),
  },
];
