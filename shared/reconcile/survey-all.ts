import pMap from 'p-map';
import type { Area } from './area.ts';
import type { Run } from './run.ts';
import { type Survey, survey } from './survey.ts';

const surveysAtOnce = 4;

/** Surveys several areas as one; what two of them hold is there once. */
export async function surveyAll(run: Run, areas: readonly Area[]): Promise<Survey> {
  const surveys = await pMap(areas, (area) => survey(run, area), { concurrency: surveysAtOnce });
  const sum = (count: (one: Survey) => number): number =>
    surveys.reduce((total, one) => total + count(one), 0);
  return {
    work: uniqueBy(
      surveys.flatMap(({ work }) => work),
      ({ resource }) => resource.uid,
    ),
    resources: sum(({ resources }) => resources),
    deletions: sum(({ deletions }) => deletions),
    idle: {
      suspended: sum(({ idle }) => idle.suspended),
      deleting: sum(({ idle }) => idle.deleting),
    },
    incomplete: uniqueBy(
      surveys.flatMap(({ incomplete }) => incomplete),
      ({ kind, error }) => JSON.stringify([kind, error]),
    ),
  };
}

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
