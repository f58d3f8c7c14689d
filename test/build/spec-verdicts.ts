import { translations } from '../kinds/translations.ts';
import { kindOf } from '../support/probe.ts';

/** What a kind of each schema says of each value: why it is invalid, or nothing. */
export function specVerdicts(): readonly string[] {
  const values = Object.values(translations).flatMap(({ good = [], bad = [] }) => [
    ...good,
    ...bad,
  ]);
  return Object.entries(translations).flatMap(([name, { given }]) => {
    const kind = kindOf(given);
    return values.map((value) => {
      const wanted = kind.desired({ name: 'one', namespace: 'default', uid: 'u', spec: { value } });
      const verdict = 'invalid' in wanted ? wanted.invalid : '';
      return `${name} ${JSON.stringify(value)}: ${verdict}`;
    });
  });
}
