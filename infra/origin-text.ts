import type { Origin } from '../shared/plan/decision/origin.ts';

export const causes: Readonly<Record<Origin, string>> = {
  edit: 'the resource was edited',
  drift: 'others changed it',
  reference:
    'a label of the resource or an object that it reads has changed, a time has come, or a certificate had to be renewed',
  code: "the kind's code has changed",
};

/** `because others changed it` */
export const because = (origin: Origin): string => `because ${causes[origin]}`;
