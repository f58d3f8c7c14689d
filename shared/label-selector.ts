/** An empty selector selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

/** An entry of `matchLabels` becomes `In` with one value. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

export type Requirements = readonly Requirement[];

export type Labels = Readonly<Record<string, string>>;

const maxLength = 2000;

/** Returns a string with the problem if invalid. */
export function requirementsOf(given: LabelSelector): Requirements | string {
  const { matchLabels = {}, matchExpressions = [] } = given;
  const labels = Object.entries(matchLabels);
  const all = [
    ...labels.map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...matchExpressions.map(({ values = [], ...one }) => ({ ...one, values })),
  ];
  for (const { key, operator, values } of all) {
    const problem = problemOf(key, operator, values);
    if (problem !== undefined) return problem;
  }
  const requirements = (all as Requirements).toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  if (selectorText(requirements).length <= maxLength) return requirements;
  return `it is longer than ${maxLength} characters`;
}

const legalKey =
  /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
export const legalLabelValue = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;
const withValues = ['In', 'NotIn'];
const withoutValues = ['Exists', 'DoesNotExist'];

function problemOf(key: string, operator: string, values: readonly string[]): string | undefined {
  if (!legalKey.test(key)) return `${shown(key)} is not a valid label key`;
  const bad = values.find((one) => !legalLabelValue.test(one));
  if (bad !== undefined) return `${shown(bad)} is not a valid label value`;
  if (withValues.includes(operator))
    return values.length > 0 ? undefined : `operator ${operator} of label ${key} needs values`;
  if (!withoutValues.includes(operator))
    return `${shown(operator)} is not an operator; use ${[...withValues, ...withoutValues].join(', ')}`;
  return values.length === 0 ? undefined : `operator ${operator} of label ${key} takes no values`;
}

const shown = (text: string): string => JSON.stringify(text).slice(0, 253);

export const selectorText = (requirements: Requirements): string =>
  requirements.map(textOf).join(',');

function textOf({ key, operator, values }: Requirement): string {
  const all = values.join(',');
  const isIn = values.length === 1 ? `${key}=${all}` : `${key} in (${all})`;
  return { In: isIn, NotIn: `${key} notin (${all})`, Exists: key, DoesNotExist: `!${key}` }[
    operator
  ];
}

export const isSelected = (requirements: Requirements, labels: Labels = {}): boolean =>
  requirements.every((requirement) => isMet(requirement, labels));

function isMet({ key, operator, values }: Requirement, labels: Labels): boolean {
  const exists = Object.hasOwn(labels, key);
  const isIn = exists && values.includes(labels[key] ?? '');
  return { In: isIn, NotIn: !isIn, Exists: exists, DoesNotExist: !exists }[operator];
}
