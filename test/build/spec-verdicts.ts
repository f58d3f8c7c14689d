import { translations } from '../kinds/translations.ts';
import { kindOf } from '../support/probe.ts';

/** Lists the verdict of a kind of each schema on each value; it is empty for a valid value. */
export function specVerdicts(): readonly string[] {
  const values = Object.values(translations).flatMap(({ good = [], bad = [] }) => [
    ...good,
    ...bad,
  ]);
  return Object.entries(translations).flatMap(([name, { given }]) => {
    const kind = kindOf(given);
    return values.map((value) => {
      const desired = kind.desired({
        name: 'one',
        namespace: 'default',
        uid: 'u',
        createdAt: '2026-01-01T00:00:00Z',
        spec: { value },
      });
      const verdict = 'invalid' in desired ? desired.invalid : '';
      return `${name} ${JSON.stringify(value)}: ${verdict}`;
    });
  });
}
