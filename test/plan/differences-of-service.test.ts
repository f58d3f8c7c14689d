import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { websiteService } from '../support/children.ts';
import { type Draft, edited } from '../support/edits.ts';
import { website } from '../support/resources.ts';
import { changesOf, wantedFields } from '../support/worlds.ts';

const at = '2026-11-21T11:00:00Z';
const by = (manager: string, time: string | undefined = at) => ({ manager, time });
const difference = (
  path: string,
  from: Json | undefined,
  to: Json | undefined,
  writer?: { manager: string; time: string | undefined },
): Difference => ({ path, from, to, writer });

const change = (live: KubeObject, manager: string, edit: (draft: Draft) => void) =>
  edited(live, { by: manager, at }, edit);
const port = 'spec.ports[port=80,protocol="TCP"]';

interface Case {
  readonly reason: string;
  readonly live: KubeObject;
  /** Defaults to what the sample resource wants. */
  readonly wanted?: JsonObject;
  readonly want: readonly Difference[];
}

const serviceWants = wantedFields(website(), 'Service');

const services: Record<string, Case> = {
  'C-2 Untouched': { reason: 'nothing changed', live: websiteService(), want: [] },
  'W-4 NodePort': {
    reason: 'the writer holds one field of an item of ours',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      spec.ports[0].nodePort = 31999;
    }),
    want: [difference(`${port}.nodePort`, 31999, 31000, by('kubectl-patch'))],
  },
  'C-3 Selector': {
    reason: 'an atomic map changes its owner as a whole',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      spec.selector = { a: 'b' };
    }),
    want: [
      difference(
        'spec.selector',
        { a: 'b' },
        { website: 'website-sample', type: 'Website' },
        by('kubectl-patch'),
      ),
    ],
  },
  'C-3 SelectorRemoved': {
    reason: 'an atomic map may be gone as a whole',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      delete spec.selector;
    }),
    want: [difference('spec.selector', undefined, { website: 'website-sample', type: 'Website' })],
  },
  'C-3 PortRenumbered': {
    reason: 'the number is the key, so our port is gone',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      spec.ports[0].port = 8080;
    }),
    want: [
      difference(port, undefined, { port: 80, protocol: 'TCP', targetPort: 80, nodePort: 31000 }),
    ],
  },
  'C-3 PortBeside': {
    reason: 'a second port, and a name on our port, belong to others',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      spec.ports[0].name = 'http';
      spec.ports.push({ name: 'x', port: 81, protocol: 'TCP', targetPort: 81 });
    }),
    want: [],
  },
};

describe('drift of a Service', () => {
  it.each(Object.entries(services))('%s', (_, { reason, live, want }) => {
    expect(changesOf(live, serviceWants), reason).toEqual(want);
  });
});
