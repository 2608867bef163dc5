// The fault campaign with every named point of a message's life, and more random faults.
import { allPoints, faultCampaign } from './campaign.suite.ts';

faultCampaign({ dieAt: allPoints, faultCount: 10 });
