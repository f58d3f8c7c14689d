import { describe, expect, it } from 'vitest';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import { readableByAnnotation } from '../../shared/kinds/names.ts';
import { isReadable } from '../../shared/kinds/references/grants.ts';

const bots = { namespace: 'team', resource: 'bots.example.org' };
const to = (reader?: typeof bots) => ({
  type: configMap,
  namespace: '',
  name: '()',
  ...(reader && { reader }),
});
const grants = (text: unknown, namespace = 'other') => ({
  namespace,
  annotations: { [readableByAnnotation]: text as string },
});

describe('an object may be read', () => {
  it.each([
    ['if the kind fixes the namespaces', to(), { namespace: 'other' }, true],
    ['in the own namespace', to(bots), { namespace: 'team' }, true],
    ['elsewhere, not without a grant', to(bots), { namespace: 'other' }, false],
    ['elsewhere, not with an empty grant', to(bots), grants(''), false],
    [
      'elsewhere by a grant to the namespace and type',
      to(bots),
      grants('team/bots.example.org'),
      true,
    ],
    ['by one of several grants', to(bots), grants('x/y.z , team/bots.example.org'), true],
    ['by a grant to any namespace', to(bots), grants('*/bots.example.org'), true],
    ['not by a grant to another namespace', to(bots), grants('steam/bots.example.org'), false],
    ['not by a grant to another type', to(bots), grants('team/bots.example.com'), false],
    ['not by a grant to cluster-scoped resources', to(bots), grants('bots.example.org'), false],
    ['not by a grant that is no text', to(bots), grants(7), false],
    [
      'by a grant to cluster-scoped resources',
      to({ ...bots, namespace: '' }),
      grants('bots.example.org'),
      true,
    ],
    [
      'for a cluster-scoped resource, not by a grant to any namespace',
      to({ ...bots, namespace: '' }),
      grants('*/bots.example.org'),
      false,
    ],
  ])('%s', (_, reference, metadata, want) => {
    expect(isReadable(reference, metadata)).toBe(want);
  });
});
