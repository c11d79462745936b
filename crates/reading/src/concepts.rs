//! Concepts: what a text is about, in a few coarse kinds, whatever words it uses.
//!
//! In: a text and its terms, or a query. Out: numbers of [`GROUPS`]: of every group that one of the
//! words is in, and of those that a notation (`£92.50`, `17:30`, `5 %`) or a question (`how much`,
//! `when`) speaks of. Invariants: deterministic; the groups are everyday English of shops,
//! documentation, offices and travel, written for no page in particular; a text of another language
//! has only the concepts of its notations. Why not a thesaurus: the large ones join every word with
//! every other, and somebody who asks "what do I pay" means a price on any site.

use crate::terms::{Term, Terms};
use browserlens_core::page::text::beginning;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Words that are asked for and answered by each other, one group a line. The first word names the
/// group.
const GROUPS: &str = "
price cost fee charge amount pay payment paid payable expensive money euro dollar pound eur usd gbp spend rate tariff \
bill afford worth
discount sale reduced saving save cheaper coupon promo promotion offer deal bargain reduction
cheap cheapest low lowest inexpensive budget affordable
shipping ship deliver delivery dispatch courier parcel package postage freight arrive arrival post
return refund exchange reimburse reimbursement unwanted
cancel cancellation abort withdraw annul void revoke undo
warranty guarantee repair defect defective faulty broken damage fault
stock available availability sold unavailable inventory left remaining
buy purchase order acquire bought checkout
cart basket bag trolley
customer client buyer shopper
review rating rated star score feedback opinion
weight weigh heavy light kg kilogram kilo gram lb
size dimension big large small width height depth measure cm mm inch tall wide
screen display monitor panel resolution
memory ram
storage disk drive ssd hdd capacity space gb tb
battery charging charger power runtime unplugged mains
processor cpu chip core
port connector socket plug usb hdmi cable connection connect interface jack
noise quiet silent loud sound audio speaker
colour color finish shade
contents included include supplied box contain comprise
wireless wifi wlan bluetooth network internet
camera webcam video
phone telephone call hotline tel mobile ring dial
contact support help helpdesk reach chat assistance
email mail inbox e
open opening hour closed close
address street road located location place venue site building room floor office
login log sign signin authenticate authentication password passcode credential passkey username
key token secret credential
permission allow allowed access role authorise authorize authorisation authorization right forbidden deny
secure security encryption encrypted protect protection
maximum max limit limited largest highest cap quota ceiling upper longest biggest exceed restriction restrict top
minimum min least smallest lowest lower shortest bottom
default preset initial standard unless
duration second minute hour day week month year period last long takes
date day deadline due until january february march april june july august september october november december monday \
tuesday wednesday thursday friday saturday sunday today tomorrow yesterday
timeout expire expiry expiration expired lapse
late overdue delay delayed missed
early advance ahead beforehand
speed fast quick rapid performance throughput latency slow
often frequency interval daily weekly monthly hourly times regularly
error fail failure wrong problem issue exception crash bug trouble
retry attempt again repeat
throttle throttling rate limit exceed slow
delete remove erase purge discard drop clear wipe
keep store retain retention hold archive preserve persist stored
create new add make register setup
change edit modify update alter adjust move reschedule switch replace postpone shift
send submit post upload transmit push publish
receive fetch download pull obtain retrieve
payload body size large
split chunk part piece segment fragment assemble multipart divide
compress compression gzip zip
file document attachment
version release upgrade edition changelog
introduced added new since latest recent newest
deprecated removed obsolete legacy replaced sunset
setting configuration configure option parameter preference variable property
install installation setup deploy
server host machine node instance endpoint
message record event entry
queue topic stream
plan tier subscription package
user people person member seat
count number total quantity
doctor dr physician clinician gp practitioner consultant specialist nurse
appointment visit booking slot consultation meeting reservation session
clinic hospital surgery practice ward department
reason cause purpose why
note remark comment annotation
urgent emergency priority important critical
shift rota roster duty
staff employee worker colleague carer personnel
night overnight evening
weekend saturday sunday
morning afternoon noon am pm
transport tram bus train metro subway taxi ferry
parking park car garage
food meal breakfast lunch dinner restaurant eat
child kid family
pet dog cat animal
accessible accessibility wheelchair barrier lift elevator disabled
language translation interpreter speak spoken
insurance insured insurer cover coverage
invoice bill receipt billing
tax vat duty
approve approval accept confirm confirmation agree
reject decline refuse deny
wait waiting pending standby
status state condition progress
owner owned belong lent lender responsible assignee assigned holder
name called title
age old born birth birthday
average mean median typical
increase raise rise grow higher
decrease reduce reduction lower cut
start begin launch first commence
end finish complete final last
free gratis complimentary
required require need must mandatory necessary obligatory
optional voluntary
recommend recommended best suggest suggested prefer
duplicate twice same identical idempotent
sort sequence ordering
gift present voucher
recycle recycling dispose disposal
pickup pick collect collection store shop branch
country abroad international worldwide overseas region
performer perform band artist concert play
medicine medication drug prescription allergy
test scan blood examination
overlap clash conflict
search find look query filter
company business firm organisation organization vendor supplier brand manufacturer maker
payment card credit paypal transfer cash instalment
terms condition policy rule
experience qualification skill training trained certificate
backup restore recover recovery copy
monitor watch observe log track tracking
notify notification alert inform warning warn
hidden secret private confidential privacy
public visible shown
webhook callback hook
concurrency parallel simultaneous concurrent together
format json xml csv yaml syntax encoding
header metadata field attribute
response reply answer result
page pagination cursor next offset
region zone datacenter
test sandbox staging trial try
renew rotate refresh extend extension prolong
overage extra additional surcharge beyond
hash checksum digest signature verify validate valid invalid check
ignore skip omit
batch bulk group multiple several
instant immediate real live
window period interval span
burst spike peak
command cli terminal shell
library package module dependency sdk
guide manual tutorial reference documentation instruction
feature function functionality capability
disable off deactivate
enable activate
pause stop halt suspend freeze resume
reset restart reboot
lose lost loss missing gone
byte mb kb megabyte kilobyte gigabyte mib kib size
percent percentage share
previous earlier before past older
later after following next subsequent
consumer subscriber reader
producer publisher sender writer
absence absent sick leave holiday vacation
swap trade exchange
manager supervisor boss lead head
wage salary earn paid hourly pay
break rest pause
uniform dress wear clothes
reminder remind notify sms text
referral refer
diagnosis illness disease symptom complaint
reception desk arrive check
touch touchscreen
resolution pixel sharp
graphics gpu
illuminated backlit light backlight
convertible tablet fold hinge
system windows linux os software
instalment monthly finance credit loan
student education school teacher
energy eco efficient consumption watt
model sku article product number
neighbour locker dropoff
hear deaf sight blind
bicycle bike cycle
luggage suitcase bag baggage
ticket entry admission pass
rain snow sun weather forecast temperature
write wrote author written
found discovered origin from
material wood metal aluminium plastic steel leather
travel trip journey distance far away km mile
";

/// What a question's first words ask for, each with the group that answers it. The longest that
/// fits counts.
const ASKED: &[(&[&str], &str)] = &[
    (&["how", "much"], "price"),
    (&["how", "many"], "number"),
    (&["how", "long"], "duration"),
    (&["how", "soon"], "duration"),
    (&["how", "quickly"], "duration"),
    (&["how", "often"], "often"),
    (&["how", "big"], "size"),
    (&["how", "heavy"], "weight"),
    (&["what", "time"], "clock"),
    (&["when"], "date"),
    (&["where"], "address"),
    (&["why"], "reason"),
];

/// Kinds that only a notation speaks of.
const NOTATIONS: &[&str] = &["clock", "percent", "number"];

/// Number of a concept.
pub type Concept = u16;

struct Known {
    of_stem: FxHashMap<String, Vec<Concept>>,
    named: FxHashMap<&'static str, Concept>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let terms = Terms::default();
    let mut known = Known { of_stem: FxHashMap::default(), named: FxHashMap::default() };
    let lines = GROUPS.lines().filter(|line| !line.is_empty());
    for (number, line) in lines.chain(NOTATIONS.iter().copied()).enumerate() {
        let number = number as Concept;
        for (at, word) in line.split(' ').enumerate() {
            if at == 0 {
                known.named.entry(word).or_insert(number);
            }
            for term in terms.of(word) {
                let groups = known.of_stem.entry(term.stem).or_default();
                if !groups.contains(&number) {
                    groups.push(number);
                }
            }
        }
    }
    known
});

/// Returns the concepts that a term is in.
pub fn of_term(term: &Term) -> &'static [Concept] {
    KNOWN.of_stem.get(&term.stem).map_or(&[], Vec::as_slice)
}

/// Hands on the concepts that a text's notations speak of: money, clock times, shares, addresses of
/// mail.
pub fn of_notations(text: &str, mut take: impl FnMut(Concept)) {
    let mut give = |name: &str| KNOWN.named.get(name).copied().map(&mut take);
    let mut before = [' '; 2];
    for c in text.chars() {
        match c {
            '$' | '£' | '€' | '¥' | '₪' | '₹' | '₩' => give("price"),
            '%' => give("percent"),
            c if c.is_ascii_digit() && !before[1].is_alphanumeric() => {
                if before[1] == ':' && before[0].is_ascii_digit() {
                    give("clock");
                }
                give("number")
            }
            '@' if before[1].is_alphanumeric() => give("email"),
            _ => None,
        };
        before = [before[1], c];
    }
}

/// Hands on the concepts that a question asks for by its form.
pub fn of_question(text: &str, mut take: impl FnMut(Concept)) {
    // Whoever writes more than this does not ask one question.
    let head = beginning(text, 400).to_lowercase();
    let words: Vec<&str> = head.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    for at in 0..words.len() {
        let asked = ASKED.iter().find(|(form, _)| words[at..].starts_with(form));
        if let Some(concept) = asked.and_then(|(_, name)| KNOWN.named.get(name)) {
            take(*concept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let of = crate::words::of_words(&crate::words::Lexicon::default().words(text), text);
        let mut names: Vec<&str> =
            KNOWN.named.iter().filter(|(_, number)| of.contains(number)).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn words_and_notations_have_concepts() {
        assert_eq!(names("The parcels"), ["shipping"]);
        assert_eq!(names("£92.50"), ["number", "price"]);
        assert_eq!(names("quay 19:30"), ["clock", "number"]);
        assert_eq!(names("mara@quay, 5 %"), ["email", "number", "percent"]);
        assert!(names("ホテル・マルサ the of").is_empty());
    }

    #[test]
    fn questions_ask_for_a_kind() {
        let asked = |text: &str| {
            let mut found = Vec::new();
            of_question(text, |concept| found.push(concept));
            found
        };
        assert_eq!(asked("How much is it?"), [KNOWN.named["price"]]);
        assert_eq!(asked("Tell me when, and where"), [KNOWN.named["date"], KNOWN.named["address"]]);
        assert!(asked("it is much").is_empty());
        assert_eq!(asked(&"x ".repeat(1_000)), [0; 0]);
    }

    #[test]
    fn every_kind_that_is_asked_for_is_known() {
        for name in ASKED.iter().map(|(_, name)| *name).chain(["price", "percent", "email", "clock"]) {
            assert!(KNOWN.named.contains_key(name), "{name}");
        }
    }
}
