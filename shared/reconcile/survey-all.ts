import { mergeCounts } from '../plan/pruning.ts';
import type { Area } from './area.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { Run } from './run.ts';
import { type Survey, survey, type Uids } from './survey.ts';

const surveysAtOnce = 4;

/** Surveys several areas as one; a resource in two of them appears once in `work`. */
export async function surveyAll(run: Run, areas: readonly Area[], awaited?: Uids): Promise<Survey> {
  const surveys = await mapConcurrently(areas, (area) => survey(run, area, awaited), surveysAtOnce);
  const sum = (count: (one: Survey) => number): number =>
    surveys.reduce((total, one) => total + count(one), 0);
  return {
    work: uniqueBy(
      surveys.flatMap(({ work }) => work),
      ({ resource }) => resource.uid,
    ),
    unkept: uniqueBy(
      surveys.flatMap(({ unkept }) => unkept),
      ({ key }) => key,
    ),
    resources: sum(({ resources }) => resources),
    namespaces: mergeCounts(surveys.map(({ namespaces }) => namespaces)),
    uncountable: new Set(surveys.flatMap(({ uncountable }) => [...uncountable])),
    idle: {
      suspended: sum(({ idle }) => idle.suspended),
      deleting: sum(({ idle }) => idle.deleting),
    },
    fleets: surveys.flatMap(({ fleets }) => fleets),
    incomplete: uniqueBy(
      surveys.flatMap(({ incomplete }) => incomplete),
      ({ kind, error }) => JSON.stringify([kind, error]),
    ),
  };
}

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
