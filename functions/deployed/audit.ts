import { equipFromEnvironment } from '../environment.ts';
import { registerAudit } from '../register.ts';

/** The composition root of the audit function, as it is deployed. */
registerAudit(equipFromEnvironment());
