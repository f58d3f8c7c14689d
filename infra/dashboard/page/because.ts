import type { Origin } from '../../../shared/plan/origin.ts';

const causes: Readonly<Record<Origin, string>> = {
  edit: 'the resource was edited',
  drift: 'others changed it',
  reference: 'an object that it reads has changed',
  code: "the kind's code has changed",
};

/** `, because others changed it`; empty where the origin is unknown. */
export const because = (origin: Origin | undefined): string =>
  origin === undefined ? '' : `, because ${causes[origin]}`;
