import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { endpointIngresses } from '../../systems/endpoints.ts';
import { effort } from '../properties/runs.ts';
import { type Nginx, startNginx } from './nginx.ts';

const place = { namespace: 'team', name: 'shop', service: 'shop' };
const settings = { authUrl: 'http://auth/check', ingressClass: 'nginx' };
const list = [
  { path: '/' },
  { path: '/campgrounds', scopes: ['campgrounds.read'] },
  { path: '/campgrounds/free' },
  { path: '/admin/users', scopes: ['admin'] },
];

let nginx: Nginx;
beforeAll(async () => {
  nginx = await startNginx(
    endpointIngresses(place, list, settings).map(({ annotations = {}, body }) => {
      const { rules } = body.spec as {
        readonly rules: readonly {
          readonly http: { readonly paths: readonly { path: string }[] };
        }[];
      };
      return {
        annotations,
        paths: rules.flatMap(({ http }) => http.paths.map(({ path }) => path)),
      };
    }),
  );
});
afterAll(() => nginx?.stop());

const asks = (path: string) => `GET /team/shop${path} HTTP/1.1`;

/**
 * Sends a request without scopes. Returns the required scopes, the path that the application received, or the
 * status.
 */
async function fateOf(line: string): Promise<string> {
  const { status, saw, asked } = await nginx.send(line);
  if (saw !== undefined) return `saw ${saw}`;
  return asked === undefined ? String(status) : `asked for ${asked}`;
}

const protectedScope = 'asked for campgrounds.read';

const fates: Readonly<Record<string, readonly [request: string, fate: string]>> = {
  'the root': ['', 'saw /'],
  'the root with a slash': ['/', 'saw /'],
  'another path': ['/x/y', 'saw /x/y'],
  'a protected path': ['/campgrounds', protectedScope],
  'a path below it': ['/campgrounds/1', protectedScope],
  'an open path below it': ['/campgrounds/free/1', 'saw /campgrounds/free/1'],
  'another word': ['/campgroundsx', 'saw /campgroundsx'],
  'a query': ['/campgrounds?a=/../x;y', protectedScope],
  'a fragment': ['/campgrounds#x', protectedScope],
  'a parameter': ['/campgrounds;x', '404'],
  'an encoded parameter': ['/campgrounds%3bx', '404'],
  'an encoded parameter in capitals': ['/campgrounds%3Bx', '404'],
  'a parameter below it': ['/campgrounds/1;x', '404'],
  'a parameter in another segment': ['/admin;x/users', '404'],
  'a parameter after the root': ['/;x/campgrounds', '404'],
  'a parameter after the name of the application': [';x/campgrounds', '404'],
  'dots with a parameter': ['/x/..;/campgrounds', '404'],
  'a parameter after a line break': ['/x%0a;/campgrounds', '404'],
  'a parameter after an open path': ['/campgrounds/free;x/../1', protectedScope],
  'a parameter in the query only': ['/x?a;b', 'saw /x?a;b'],
  capitals: ['/CampGrounds', protectedScope],
  'an encoded letter': ['/%63ampgrounds', protectedScope],
  'an encoded slash': ['/campgrounds%2f1', protectedScope],
  'an encoded slash in front': ['%2fcampgrounds', protectedScope],
  slashes: ['//campgrounds//1', protectedScope],
  'a dot': ['/./campgrounds', protectedScope],
  'two dots': ['/x/../campgrounds', protectedScope],
  'two dots out of an open path': ['/campgrounds/free/../1', protectedScope],
  'encoded dots': ['/x/%2e%2e/campgrounds', protectedScope],
  'an encoded slash and dots': ['/x%2f..%2fcampgrounds', protectedScope],
  'out of the application': ['/../../etc/passwd', '404'],
  'above the root': ['/../../../x', '400'],
  NUL: ['/campgrounds%00', '400'],
  'a line break at the end': ['/campgrounds%0a', protectedScope],
  'a raw tab': ['/campgrounds\tx', '400'],
  'a raw space': ['/campgrounds x', '400'],
  'an incomplete escape': ['/campgrounds%', '400'],
};

describe('a request to the generated Ingresses', () => {
  it.each(Object.entries(fates))('G-3 with %s', async (_, [request, fate]) => {
    expect(await fateOf(asks(request))).toBe(fate);
  });

  it('G-3 in absolute form or with HTTP/1.0 requires the same scopes', async () => {
    expect(await fateOf('GET http://shop/team/shop/campgrounds HTTP/1.0')).toBe(protectedScope);
    expect(await fateOf('GET http://shop/team/shop/campgrounds;x HTTP/1.1')).toBe('404');
  });

  it('G-3 with its scopes is admitted, and the application sees the authorized path', async () => {
    const saw = async (path: string) => (await nginx.send(asks(path), true)).saw;
    expect(await saw('/x/../CampGrounds//1?q=a%2fb')).toBe('/CampGrounds/1?q=a%2fb');
    expect(await saw('/campgrounds%0a')).toBe('/campgrounds');
    expect(await saw('/campgrounds;x')).toBeUndefined();
  });
});

/** Paths that nginx treats as different; the README warns that an application must not treat them as equal. */
const otherPaths = {
  '/campgrounds.': '/campgrounds.',
  '/campgrounds%20': '/campgrounds%20',
  '/campgrounds.json': '/campgrounds.json',
  '/campgrounds\\x': '/campgrounds%5Cx',
  '/campgrounds%5cx': '/campgrounds%5Cx',
  '/campgrounds%09': '/campgrounds%09',
  '/campgrounds%253bx': '/campgrounds%253bx',
  '/campgrounds%3fx': '/campgrounds%3Fx',
  '/campgrounds%23x': '/campgrounds%23x',
  '/campgrounds%c0%afx': '/campgrounds%C0%AFx',
};

test.each(Object.entries(otherPaths))('G-3 %s is another path for nginx', async (request, path) => {
  expect(await fateOf(asks(request))).toBe(`saw ${path}`);
});

/** Returns the path that an application sees if it decodes once, strips parameters and resolves dots. */
function meant(saw: string): string {
  const [path = ''] = saw.split('?');
  const bytes = path.replaceAll(/%([0-9a-f]{2})/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const segments: string[] = [];
  for (const segment of bytes.split('/').map((one) => one.replace(/;.*/s, ''))) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment.toLowerCase());
  }
  return `/${segments.join('/')}`;
}

const isBelow = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

const isProtected = (path: string): boolean =>
  (isBelow(path, '/campgrounds') && !isBelow(path, '/campgrounds/free')) ||
  isBelow(path, '/admin/users');

const pieces = [
  '/',
  '//',
  '/.',
  '/..',
  '..',
  '.',
  ';',
  ';x',
  '%3b',
  '%3B',
  '%2f',
  '%2F',
  '%2e',
  '%252e',
  '\\',
  '%5c',
  '%0a',
  '%0d',
  '%20',
  '%00',
  '%c0%af',
  '%ff',
  '?',
  '#',
  '&',
  '=',
  ':',
  '@',
  '*',
  'campgrounds',
  'CAMPGROUNDS',
  '%63ampgrounds',
  'free',
  'admin',
  'users',
  'x',
  '/',
  '/',
  '/',
];

test('G-3 no request reaches a protected path without its scopes', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }),
      async (parts) => {
        const line = asks(`/${parts.join('')}`);
        const { saw } = await nginx.send(line);
        if (saw !== undefined) expect(isProtected(meant(saw)), `${line} saw ${saw}`).toBe(false);
      },
    ),
    effort(20_000),
  ));
