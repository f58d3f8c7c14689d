import type { Scenarios } from './place.ts';
import { amounts } from './rows/amounts.ts';
import { applications } from './rows/application.ts';
import { audited } from './rows/audit.ts';
import { children } from './rows/children.ts';
import { containerApps } from './rows/container-app.ts';
import { credentials } from './rows/credentials.ts';
import { databases } from './rows/database.ts';
import { deletion } from './rows/deletion.ts';
import { doors } from './rows/doors.ts';
import { drift } from './rows/drift.ts';
import { ofFamilies } from './rows/families.ts';
import { familyStrangers } from './rows/family-foreign.ts';
import { familyNames } from './rows/family-names.ts';
import { fights } from './rows/fights.ts';
import { foos } from './rows/foo.ts';
import { foreign } from './rows/foreign.ts';
import { greetings } from './rows/greeting.ts';
import { hostile } from './rows/hostile.ts';
import { identities } from './rows/identity.ts';
import { immutable } from './rows/immutable.ts';
import { invalidSpecs } from './rows/invalid-spec.ts';
import { keptData } from './rows/kept-data.ts';
import { names } from './rows/names.ts';
import { phases } from './rows/phases.ts';
import { restored } from './rows/restore.ts';
import { samples } from './rows/samples.ts';
import { secrecy } from './rows/secrecy.ts';
import { solo } from './rows/solo.ts';
import { status } from './rows/statuses.ts';
import { targets } from './rows/targets.ts';
import { websites } from './rows/website.ts';

/** Scenarios that run concurrently, each in its own namespace. */
export const together: Scenarios = {
  ...samples,
  ...children,
  ...drift,
  ...foreign,
  ...hostile,
  ...targets,
  ...deletion,
  ...status,
  ...names,
  ...websites,
  ...applications,
  ...greetings,
  ...databases,
  ...amounts,
  ...phases,
  ...credentials,
  ...keptData,
  ...restored,
  ...secrecy,
  ...immutable,
  ...foos,
  ...containerApps,
  ...audited,
  ...fights,
  ...doors,
  ...identities,
  // The common rows, repeated for each child of each kind.
  ...ofFamilies,
  ...familyStrangers,
  ...familyNames,
};

/** Scenarios that affect the whole cluster and run one at a time. */
export const alone: Scenarios = { ...solo, ...invalidSpecs };
