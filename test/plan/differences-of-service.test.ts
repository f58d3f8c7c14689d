import { describe, expect, it } from 'vitest';
import { casesOf } from '../support/cases.ts';
import { websiteService } from '../support/children.ts';
import { by, change, type DifferenceCase, difference } from '../support/differences.ts';
import { website } from '../support/resources.ts';
import { changesOf, fieldsOfChild } from '../support/worlds.ts';

const port = 'spec.ports[port=80,protocol="TCP"]';

const serviceWants = fieldsOfChild(website(), 'Service');

const services: Record<string, DifferenceCase> = {
  'C-2 Untouched': {
    reason: 'an untouched Service has no drift',
    live: websiteService(),
    want: [],
  },
  'W-4 NodePort': {
    reason: 'a changed field of our port names its writer',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      spec.ports[0].nodePort = 31999;
    }),
    want: [difference(`${port}.nodePort`, 31999, 31000, by('kubectl-patch'))],
  },
  'C-3 Selector': {
    reason: 'a changed selector is one difference, because the map is atomic',
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
    reason: 'a removed selector is one difference',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      delete spec.selector;
    }),
    want: [difference('spec.selector', undefined, { website: 'website-sample', type: 'Website' })],
  },
  'C-3 PortRenumbered': {
    reason: 'a changed port number removes our port, because the number is its key',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      spec.ports[0].port = 8080;
    }),
    want: [
      difference(port, undefined, { port: 80, protocol: 'TCP', targetPort: 80, nodePort: 31000 }),
    ],
  },
  'C-3 PortBeside': {
    reason: 'a second port, and a name on our port, are no drift',
    live: change(websiteService(), 'kubectl-patch', ({ spec }) => {
      spec.ports[0].name = 'http';
      spec.ports.push({ name: 'x', port: 81, protocol: 'TCP', targetPort: 81 });
    }),
    want: [],
  },
};

describe('drift of a Service', () => {
  it.each(casesOf(services))('%s', (_, { live, want }) => {
    expect(changesOf(live, serviceWants)).toEqual(want);
  });
});
