import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authUrlAnnotation,
  pathMarker,
  withoutMarker,
} from '../../shared/kinds/child-types/ingress.ts';
import { endpointIngresses } from '../../systems/endpoints.ts';
import { casesOf } from '../support/cases.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'outer' };
const place = { namespace: 'team', name: 'shop', service: 'shop-service' };

interface Endpoint {
  readonly path: string;
  readonly scopes?: string[];
}

const ingresses = (list: readonly Endpoint[], over: Partial<typeof place> = {}) =>
  endpointIngresses({ ...place, ...over }, [...list], settings);

interface Body {
  readonly spec: {
    readonly rules: readonly [
      { readonly http: { readonly paths: readonly { readonly path: string }[] } },
    ];
  };
}

function patternsOf(child: { readonly body: unknown } | undefined): readonly string[] {
  if (child === undefined) throw new Error('there is no Ingress');
  const { spec } = child.body as Body;
  return spec.rules[0].http.paths.map(({ path }) => path);
}

const names = (list: readonly Endpoint[]) => ingresses(list).map(({ name }) => name);
const scoped = (...groups: string[][]): readonly Endpoint[] =>
  groups.map((scopes, at) => ({ path: `p${at}`, scopes }));

describe('the Ingresses of endpoints', () => {
  it('G-2 are one for each distinct set of scopes, sorted by name', () => {
    const made = ingresses([
      { path: '/', scopes: [] },
      { path: 'x', scopes: ['b', 'a'] },
      { path: 'free' },
      { path: 'y', scopes: ['a', 'b', 'a'] },
    ]);
    expect(made.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^shop-[0-9a-f]{16}$/),
      'shop-public',
    ]);
    const token = made[0]?.name.slice('shop-'.length).slice(0, 8);
    const guarded = `(?!~~${token}|.*\\x3b)`;
    expect(made.map(patternsOf)).toEqual([
      [`/team/shop/${guarded}(x(?:/.*)?)$`, `/team/shop/${guarded}(y(?:/.*)?)$`],
      [
        '/team/shop(?!~~public--|.*\\x3b)(?:/(.*))?$',
        '/team/shop/(?!~~public--|.*\\x3b)(free(?:/.*)?)$',
      ],
    ]);
  });

  it('contain all that nginx needs, and inject nothing into its configuration', () => {
    const [made] = ingresses([{ path: '/a', scopes: ['campgrounds.read', 'b:c'] }]);
    expect(made?.annotations).toEqual({
      'nginx.ingress.kubernetes.io/use-regex': 'true',
      'nginx.ingress.kubernetes.io/rewrite-target': '/$1',
      [authUrlAnnotation]: 'https://auth.example.com/check?scopes=b%3Ac%20campgrounds.read',
    });
    const backend = { service: { name: 'shop-service', port: { name: 'http' } } };
    expect(made?.body).toEqual({
      spec: {
        ingressClassName: 'outer',
        rules: [
          {
            http: {
              paths: [
                {
                  path: expect.stringMatching(
                    /^\/team\/shop\/\(\?!~~[0-9a-f]{8}\|\.\*\\x3b\)\(a\(\?:\/\.\*\)\?\)\$$/,
                  ),
                  pathType: 'ImplementationSpecific',
                  backend,
                },
              ],
            },
          },
        ],
      },
    });
    expect(made).not.toHaveProperty('blocked');
  });

  it('require no authorization without scopes', () => {
    const [made] = ingresses([{ path: '/' }]);
    expect(made?.annotations).not.toHaveProperty(authUrlAnnotation);
  });
});

const apart: Record<string, { reason: string; given: readonly Endpoint[] }> = {
  Sums: { reason: 'the sums of the hashes are equal', given: scoped(['1', '2'], ['0', '3']) },
  Cancelling: { reason: 'the hashes of the items are equal', given: scoped(['Aa', 'BB'], []) },
  Joined: {
    reason: 'the concatenations are equal',
    given: scoped(['a', 'b'], ['ab'], ['a.b'], ['a:b']),
  },
  Subset: { reason: 'one is part of the other', given: scoped(['a'], ['a', 'b'], ['b']) },
  Case: { reason: 'scopes are case-sensitive', given: scoped(['a'], ['A']) },
  Public: { reason: 'a scope may be called public', given: scoped(['public'], []) },
};

describe('sets of scopes', () => {
  it.each(casesOf(apart))('G-4 %s stay apart', (_, { given }) => {
    expect(new Set(names(given)).size).toBe(given.length);
  });

  it('G-6 have the same text in any order and with duplicates', () => {
    const scope = fc.stringMatching(/^[A-Za-z0-9._:-]{1,8}$/);
    const endpoint = fc.record({
      path: fc.stringMatching(/^[a-z0-9]{1,4}$/),
      scopes: fc.array(scope, { maxLength: 4 }),
    });
    const lists = fc.uniqueArray(endpoint, { maxLength: 6, selector: ({ path }) => path });
    const shuffled = lists.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const reversed = other.map(({ path, scopes }) => ({
          path: `/${path}/`,
          scopes: [...scopes, ...scopes].reverse(),
        }));
        expect(JSON.stringify(ingresses(reversed))).toBe(JSON.stringify(ingresses(list)));
      }),
    );
  });
});

/** Matches as nginx does: from the start, ignoring case, the longest pattern first. */
function rewritten(patterns: readonly string[], request: string): string | undefined {
  for (const pattern of patterns.toSorted((a, b) => b.length - a.length)) {
    const match = new RegExp(`^${pattern}`, 'i').exec(request);
    if (match !== null) return `/${match[1] ?? ''}`;
  }
  return undefined;
}

interface Route {
  readonly reason: string;
  readonly given: readonly string[];
  readonly request: string;
  readonly want: string | undefined;
}

const routes: Record<string, Route> = {
  Root: {
    reason: 'the root serves its own requests',
    given: ['/'],
    request: '/team/shop',
    want: '/',
  },
  RootSlash: {
    reason: 'a trailing slash is the root, too',
    given: ['/'],
    request: '/team/shop/',
    want: '/',
  },
  BelowRoot: {
    reason: 'the root serves all paths below it',
    given: ['/'],
    request: '/team/shop/a/b',
    want: '/a/b',
  },
  OtherApp: {
    reason: 'a prefix is of whole segments',
    given: ['/'],
    request: '/team/shopping',
    want: undefined,
  },
  OtherTeam: {
    reason: 'another namespace is not ours',
    given: ['/'],
    request: '/team2/shop',
    want: undefined,
  },
  Inside: {
    reason: 'a pattern is anchored at the start',
    given: ['/'],
    request: '/x/team/shop',
    want: undefined,
  },
  Path: {
    reason: 'a path serves its own requests',
    given: ['/a'],
    request: '/team/shop/a',
    want: '/a',
  },
  PathSlash: {
    reason: 'a trailing slash is kept',
    given: ['a/'],
    request: '/team/shop/a/',
    want: '/a/',
  },
  BelowPath: {
    reason: 'a path serves all paths below it',
    given: ['a'],
    request: '/team/shop/a/b',
    want: '/a/b',
  },
  LongerWord: {
    reason: 'a prefix is of whole segments',
    given: ['a'],
    request: '/team/shop/ab',
    want: undefined,
  },
  NotRoot: {
    reason: 'a path that is not listed is closed',
    given: ['a'],
    request: '/team/shop',
    want: undefined,
  },
  Case: { reason: 'nginx ignores case', given: ['a'], request: '/team/shop/A/b', want: '/A/b' },
  Dot: {
    reason: 'a dot is no wildcard',
    given: ['a.b'],
    request: '/team/shop/axb',
    want: undefined,
  },
  DotItself: {
    reason: 'a dot matches a dot',
    given: ['a.b'],
    request: '/team/shop/a.b',
    want: '/a.b',
  },
};

describe('the pattern of a path', () => {
  it.each(casesOf(routes))('%s', (_, { given, request, want }) => {
    const patterns = ingresses(given.map((path) => ({ path }))).flatMap(patternsOf);
    expect(rewritten(patterns, request)).toBe(want);
  });

  it('G-3 has a longer text if it is deeper, so that nginx tries it first', () => {
    const segment = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,5}$/);
    fc.assert(
      fc.property(segment, segment, (a, b) => {
        const [root = '', one = '', two = ''] = ['/', a, `${a}/${b}`].map(
          (path) => patternsOf(ingresses([{ path }])[0])[0],
        );
        expect(root.length).toBeLessThan(one.length);
        expect(one.length).toBeLessThan(two.length);
      }),
    );
  });

  it('escapes the dots of a name', () => {
    const [made] = ingresses([{ path: '/' }], { name: 'my.shop' });
    expect(patternsOf(made).map(withoutMarker)).toEqual(['/team/my\\.shop(?:/(.*))?$']);
    expect(rewritten(patternsOf(made), '/team/myxshop')).toBeUndefined();
  });
});

describe('without a URL for authorization', () => {
  it('protected endpoints are desired but blocked, public ones are not blocked', () => {
    const made = endpointIngresses(place, [{ path: '/' }, { path: 'a', scopes: ['u'] }], {
      authUrl: undefined,
      ingressClass: 'nginx',
    });
    const [guarded, open] = made;
    expect(guarded?.blocked).toMatchObject({
      reason: 'AuthUrlMissing',
      message: expect.stringContaining('AUTH_URL'),
    });
    expect(open).not.toHaveProperty('blocked');
    expect(guarded?.annotations, 'never looks public').toHaveProperty(authUrlAnnotation);
    expect(guarded?.name, 'has its usual name').toBe(
      ingresses([{ path: 'a', scopes: ['u'] }])[0]?.name,
    );
  });
});

describe('the marker in a path pattern', () => {
  const groups = scoped(['u'], ['u', 'v'], []);
  const patterns = groups.flatMap(({ scopes = [] }) =>
    patternsOf(ingresses([{ path: 'a', scopes }])[0]),
  );

  it('gives one path a different text in each of two Ingresses', () => {
    expect(new Set(patterns).size).toBe(groups.length);
    expect(new Set(patterns.map(withoutMarker)).size).toBe(1);
    expect(new Set(patterns.map(({ length }) => length)).size).toBe(1);
  });

  it('excludes nothing without a semicolon', () => {
    for (const request of ['/team/shop/a', '/team/shop/a/', '/team/shop/a/~~public--']) {
      const matches = patterns.map((pattern) => new RegExp(`^${pattern}`, 'i').exec(request)?.[1]);
      expect(new Set(matches)).toEqual(new Set([request.replace('/team/shop/', '')]));
    }
  });

  it('excludes every semicolon, because an application may strip what follows it', () => {
    const root = patternsOf(ingresses([{ path: '/' }])[0]);
    for (const request of ['/a;x', '/a/;x/b', '/x/..;/a', '/;', '/b;x/a']) {
      const matches = [...patterns, ...root].filter((pattern) =>
        new RegExp(`^${pattern}`, 'i').test(`/team/shop${request}`),
      );
      expect(matches, request).toEqual([]);
    }
  });

  it('is as long as an old one and sorts after it, so that patterns can be renewed one by one', () => {
    const old = ['(?!~public----------)', '(?!~ffffffffffffffff)'];
    for (const marker of ['public', 'ffffffffffffffff', '0'].map(pathMarker)) {
      for (const one of old) {
        expect(marker).toHaveLength(one.length);
        expect(marker > one).toBe(true);
      }
    }
    expect(old.map(withoutMarker)).toEqual(['', '']);
  });
});
