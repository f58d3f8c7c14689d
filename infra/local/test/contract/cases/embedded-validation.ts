import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import type { Judged } from '../judged.ts';
import { paths } from '../objects.ts';
import { get, post } from '../requests.ts';
import { toy, toys, toysWith } from '../toys.ts';

const kind = 'Toy.{ns}.example.com';

/** Creates each toy without storing it, once toys are served. */
const judgedToys = (
  spec: object,
  rows: readonly (Omit<Judged, 'given'> & { readonly given: object })[],
): ContractCase['steps'] => [
  { request: post(paths.definitions, toysWith(spec)), expect: { status: 201 } },
  { request: get(toys.objects), expect: { status: 200 }, eventually: true },
  ...rows.map(({ given, want, ...since }) => ({
    ...since,
    request: post(toys.objects, toy('x', given), { dryRun: 'All' }),
    expect:
      want === 'accepted' ? { status: 201 } : { status: 422, error: invalid(kind, 'x', want) },
  })),
];

const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const holding = (metadata: object) => ({
  held: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', ...metadata } },
});
const notQualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const must = 'wait must be less than 100 hours';

export const cases: readonly ContractCase[] = [
  {
    id: 'metadata',
    reason: 'an object inside an object has metadata like any other',
    steps: judgedToys({ type: 'object', properties: { held: embedded } }, [
      { given: holding({ labels: { a: 'b' }, generateName: 'x-' }), want: 'accepted' },
      {
        given: holding({ labels: { 'a b': 'c' } }),
        want: [['spec.held.metadata.labels', `Invalid value: "a b": ${notQualified}`]],
      },
      {
        given: holding({ annotations: { 'a b': '' } }),
        want: [['spec.held.metadata.annotations', `Invalid value: "a b": ${notQualified}`]],
      },
      {
        given: holding({ finalizers: ['a b'] }),
        want: [['spec.held.metadata.finalizers', `Invalid value: "a b": ${notQualified}`]],
      },
      {
        given: holding({ ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: '', uid: 'u' }] }),
        want: [['spec.held.metadata.ownerReferences.name', 'Invalid value: "": must not be empty']],
      },
      {
        given: holding({ generateName: 'a/b' }),
        want: [['spec.held.metadata.generateName', `Invalid value: "a/b": may not contain '/'`]],
      },
    ]),
  },
  {
    id: 'durations',
    reason: 'a rule understands a duration in words',
    steps: judgedToys(
      {
        type: 'object',
        properties: { wait: { type: 'string', format: 'duration' } },
        'x-kubernetes-validations': [{ rule: "self.wait < duration('100h')", message: must }],
      },
      [
        { given: { wait: '1h' }, want: 'accepted' },
        { given: { wait: '3 days' }, want: 'accepted' },
        { given: { wait: '3d' }, want: 'accepted' },
        ...['5 days', '1 week 2 days'].map((wait) => ({
          given: { wait },
          want: [['spec', `Invalid value: ${must}`]] as const,
          since: since135.ruleValues,
        })),
      ],
    ),
  },
];
