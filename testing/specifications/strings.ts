export const textOfFormat: Readonly<Record<string, readonly string[] | undefined>> = {
  date: ['2026-01-31', '2024-02-29'],
  'date-time': ['2026-01-31T00:00:00Z', '2026-01-31T23:59:59.5+02:00'],
  email: ['a@example.org'],
  hostname: ['example.org', 'a.b-c.example.org'],
  ipv4: ['10.0.0.1', '192.168.1.255'],
  ipv6: ['::1', 'fd00::1:2'],
  uri: ['https://example.org/a?b=c', 'ftp://example.org'],
  uuid: ['00000000-0000-4000-8000-000000000000'],
};

export function likelyStrings(
  name: string,
  seeds: readonly string[],
  maxLength: number,
): readonly string[] {
  const meant = meanings.find(([names]) => names.test(name))?.[1] ?? [];
  return [...new Set([...seeds.flatMap(variantsOf), ...meant, ...anyStrings(maxLength)])];
}

/** Returns the string and similar strings: the next version, the same quantity in another unit and so on. */
function variantsOf(text: string): readonly string[] {
  const next = text.replace(/\d+(?!.*\d)/s, (digits) => String(Number(digits) + 1));
  const respelled = /^(\d+)([KMG]i)$/.exec(text);
  const smaller = { Ki: '', Mi: 'Ki', Gi: 'Mi' }[respelled?.[2] ?? ''];
  return [
    text,
    ...(next === text ? [] : [next]),
    ...(smaller === undefined ? [] : [`${Number(respelled?.[1]) * 1024}${smaller}`]),
    `${text}-2`,
    `registry.example.org/${text}`,
  ];
}

const quantities = ['1Gi', '1024Mi', '2Gi', '500m', '0.5', '1', '0', '1e3', '1Ki'];

export const secretField = /(password|passphrase|(api|secret|private|access)Key)$/i;

/** The prefix by which secret values are found in children. */
export const secretText = 's3cret-';

const meanings: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /image$/i,
    ['nginx', 'nginx:1.29', 'registry.example.org:5000/team/app:2', `app@sha256:${'a'.repeat(64)}`],
  ],
  [/^(tag|imageTag|version)$/i, ['1', '2.0.1', 'latest', 'v3_x']],
  [/(size|storage|memory|cpu|capacity|quantity|limits|requests)$/i, quantities],
  [/(selector|labels?)$/i, ['web', 'Web_1', 'a.b-c', '']],
  [/(schedule|cron)$/i, ['0 6 * * *', '*/5 * * * *', '@daily']],
  [/(host|hostname|domain)$/i, ['example.org', 'a.example.org', '*.example.org']],
  [/(url|uri|endpoint|upstream)$/i, ['http://shop', 'https://example.org:8443/a?b=c']],
  [/path$/i, ['/', '/a', '/a/b/']],
  [secretField, [`${secretText}one`, `${secretText}two`]],
  [/(policy|mode|class)$/i, ['Always', 'standard']],
];

/** Lists the simplest strings first. Includes strings that are easily confused, and the longest names. */
const anyStrings = (maxLength: number): readonly string[] => [
  'a',
  'b',
  'shop-1',
  '',
  '1',
  'true',
  'null',
  'A b',
  'a.b',
  'a-b',
  'ab',
  'A',
  'Ünï',
  'two\nlines',
  ...[63, 64, 253, 254].filter((length) => length <= maxLength).map((length) => 'n'.repeat(length)),
  ...(maxLength < 64 ? ['n'.repeat(maxLength)] : []),
];
