/** One clause of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Parses an Accept header into clauses, the preferred clause first.
 *
 * Source: ParseAccept of munnerz/goautoneg.
 */
export function acceptClauses(header: string): AcceptClause[] {
  return header
    .split(',')
    .flatMap(readClause)
    .toSorted((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

function wildcards({ type, subtype }: AcceptClause): number {
  return Number(type === '*') + Number(subtype === '*');
}

function readClause(text: string): AcceptClause[] {
  const [range = '', ...rest] = text.split(';');
  const [type = '', subtype = type === '*' ? '*' : '', ...more] = range.trim().split('/');
  if (subtype === '' || more.length > 0) return [];
  const parameters = new Map(
    rest.flatMap((part): [string, string][] => {
      const [name = '', value = '', ...others] = part.split('=');
      return value === '' || others.length > 0 ? [] : [[name.trim(), value.trim()]];
    }),
  );
  const quality = parameters.get('q');
  parameters.delete('q');
  return [
    {
      type: type.trim(),
      subtype: subtype.trim(),
      quality: quality === undefined ? 1 : Number(quality) || 0,
      parameters,
    },
  ];
}
