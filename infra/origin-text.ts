import type { Origin } from '../shared/plan/decision/origin.ts';

export const causes: Readonly<Record<Origin, string>> = {
  edit: 'the resource was edited',
  drift: 'others changed it',
  reference:
    "the resource's labels or an object that it reads changed, a time that its kind asks about has come, or a certificate had to be renewed",
  code: "the kind's code has changed",
};

/** `because others changed it` */
export const because = (origin: Origin): string => `because ${causes[origin]}`;
