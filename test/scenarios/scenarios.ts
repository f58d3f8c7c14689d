import type { Scenarios } from './place.ts';
import { audited } from './rows/audit.ts';
import { children } from './rows/children.ts';
import { deletion } from './rows/deletion.ts';
import { doors } from './rows/doors.ts';
import { drift } from './rows/drift.ts';
import { fights } from './rows/fights.ts';
import { foos } from './rows/foo.ts';
import { foreign } from './rows/foreign.ts';
import { names } from './rows/names.ts';
import { status } from './rows/status.ts';
import { websites } from './rows/website.ts';

/** Each in its own namespace, undisturbed by the others. */
export const scenarios: Scenarios = {
  ...children,
  ...drift,
  ...foreign,
  ...deletion,
  ...status,
  ...names,
  ...websites,
  ...foos,
  ...audited,
  ...fights,
  ...doors,
};
