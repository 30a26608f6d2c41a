/** Sentences without a day, an hour or a repetition. */
export const PLAIN: readonly string[] = `
I may do it
it may rain, may it not
3 may fail
at least 2 may not come
May I ask
ask May about the keys
ask April and June
march 3 miles
march to the castle
an august company
enjoy the sun
put it in the sun
she sat
the cat sat
newly wed
a second opinion
give me a second
wait a minute
seconds count
the second one
mail my mum on the day
the day it ends
the other day
one day
some days
the weekly report
call Ada every Freitag
jeden Friday anrufen
have a nice weekend
enjoy your weekend
watch Edge of Tomorrow
the world of tomorrow
read USA Today
read today's news
send Monday's notes
Friday’s minutes
compare Black Friday prices
book Good Friday services
watch Friday the 13th
on the first Monday in January
the last Friday of the month
the last friday
between Monday and Friday
conference December 3-5
by Feb 30
install macOS 15.1.
fix bug #1.10.
set up monday.com
Friday-night lights
open Monday to Friday
open Monday to Friday at 9
meeting 14:00–15:00
call Ada at 5 or 6 about it
sync 2026-12-01T14:00:00+01:00
open Mon-Fri
closed Monday through Wednesday
leave from 3 to 5 December
since Monday the heater is broken
since yesterday
upgrade to version 1.10.
upgrade to 1.10
Python 3.12
version 2.1.10
release v3.12.
chapter 3.12.
section 4.5.
support 24/7
half 1/2 cup
3/4 of the work
50/50
call 030 12 34 56
call 030/12/2026/5
call +49 171 1234567
call 555-12-12
costs 3.12 €
pay 12.50
pay $3.12
pay 15.12 EUR by card
reach 24.12 %
192.168.1.1
10.0.0.12
ratio 4:3
John 3:16
score 2:1
1. 2. 3.
size 10-12
pages 3-12
room 12/5
flight LH 1712
ISO 8601
in 2nd place
go to the 2nd floor
on the 5th attempt
on the 2nd page
for 2 weeks
over 3 days
5 days of rain
the next 3 days
plan the next week
a year in Paris
once in a while
last week
last month
this week
the year 2027
RFC 2026
10/10 would buy
4 of 5
A4 paper
B2 exam
sell it at 5 locations
meet at 5 Main Street
Maier anrufen
Mai fragen
der Mai ist gekommen
im Main schwimmen
Jan 5 Euro geben
Jan fragen
guten Morgen wünschen
allen einen guten Morgen
am Morgen Tee
3 Morgen Land kaufen
der Morgen danach
die Welt von morgen
von heute auf morgen
heutige Zeitung
seit Montag ist die Heizung kaputt
seit gestern
Montag bis Freitag geöffnet
Mo-Fr geöffnet
Mo bis Fr geöffnet
Montag bis Freitag um 9 Standup
Treffen 14:00–15:00 Uhr
vor 5 h gesehen
Treffen zwischen 9 und 10 Uhr
in einem Viertel nach 5 Bäumen suchen
Preis um 5 kürzen
5. bis 7. Dezember verreisen
3.–5. Dezember verreisen
Montagsdemo
Freitagsgebet
Sonntagsfrage
Schwarzer Freitag
Freitag der 13. läuft
letzter Freitag im Monat
zwischen Montag und Freitag
vom 3.12. bis 5.12. Urlaub
am 31.2. lesen
schönes Wochenende wünschen
das Wochenende war schön
zum 3. Mal
am 2. Tag
am 3. Loch
im 2. Stock
bis so weit
an sich
so wie es ist
do it
di Mauro anrufen
mi casa
Sa Pa buchen
fr. Müller anrufen
Version 1.10.
Kapitel 3.12.
§ 3.12.
Abschnitt 4.5.
Nr. 12.
12,50 € zahlen
3.12 € zahlen
15.12 Euro überweisen
in Wochen
vor Ort
vor Gericht
letzte Woche
letzten Monat
diese Woche
nächste Schritte
nächstes Mal
das nächste Jahrzehnt
der nächste Monat war besser
Ende gut
am Ende
Ende der Straße
Anfang der Liste
um 5 Euro billiger
gegen 3 Leute
bis 10 zählen
bis zu 15 Euro
ab 18
Tag der Arbeit
Jahr 2027
40 Jahre
2 Wochen lang
zwei Tage Urlaub
pay on Friday, 28 November
pay on 28 November, Friday
pay by Fri 28 Nov
Mo, 1.12. zahlen
am Mo, 1.12. zahlen
am Mo, 31.2. zahlen
am Fr, den 28. zahlen
am 1.12. (Mo) zahlen
1.12., Montag zahlen
book it 2 weeks before Friday
book it two weeks before 3 December
book it 3 days after next Monday
book it a week after 15 Dec
book it the day after Friday
book it Monday before Easter
call Ada Friday after Christmas
call Ada Friday after 3 December
call Ada Friday after next
call Ada Friday in two weeks
as discussed last week Friday
leave for 2 weeks from Monday
Maundy Thursday service
by the 2nd attempt
before the 3rd Monday in May
back in a minute
drive in 300 hours
am 2. Weihnachtstag
am 1. Weihnachtsfeiertag backen
am 2. Montag im Mai
Mittwoch nach Ostern
Freitag vor Weihnachten backen
Freitag vor dem 24.12. backen
zwei Wochen vor Freitag buchen
2 Wochen nach dem 3.12. nachfragen
eine Woche ab Montag
am Tag nach Freitag
übernächsten Freitag anrufen
übernächste Woche Freitag anrufen
letzte Woche Freitag besprochen
Freitag letzter Woche besprochen
things to do
nothing to do so
call Mo
Urlaub Di Caprio
call Ada Friday after Christmas at 5pm
call Ada Friday before Easter holidays at 5pm
call Ada Friday after the 3rd at 5pm
call Ada Friday after the 3rd of December at 5pm
call Ada the day after Christmas at 5pm
Call on 1 December Monday planning at 10:00
the 2nd Monday in December at 10am
book club on the 4th Friday at 8pm
on the 2nd day at 9am
two weeks before Friday at 9am
Friday after next at 9am
Treffen am Freitag nach dem 3. Dezember um 10 Uhr
Freitag nach dem 3. um 10 Uhr anrufen
Dienstag vor Weihnachten um 10 Uhr
am Abend vor Weihnachten um 18 Uhr
Freitag vor dem 2. Advent um 10 Uhr
3 Tage vor Freitag um 9 Uhr
Freitag letzter Woche um 10 Uhr besprochen
am 2. Weihnachtstag um 10 Uhr
am 1. Advent um 16 Uhr Kerze anzünden
am 3. Urlaubstag um 10 Uhr
am 1. Feiertag im Mai um 10 Uhr
am 2. Montag im Mai um 10 Uhr
am ersten Montag im Dezember um 10 Uhr
Am 5. Freitag um 18 Uhr Feier
Mo, 1.12. um 10 Uhr zahlen
Ada anrufen Fr
Bericht schreiben, Mo.
pay 17:00 EUR
pay EUR 17:00
pay $17:00 by card
17:00 EUR zahlen
Preis um 17.50 Euro senken
midnight snack
the midnight train to Georgia
go to midnight mass
from 2pm to 4pm
standup Mon, Wed and Fri at 9:15
standup Mon-Fri 9:15
Standup Mo, Mi und Fr um 9 Uhr
Mon or Tue at 9
Wed and Fri at 9
Lunch at 12 to 1
Lunch at 12 to 1.
Lunch at 12 to 1 with Ada
Monday or Tuesday at 9
by Mon or Tue at 9
Sat or Sun at 10am brunch
Ada Tue or Wed
Montag oder Dienstag um 9
Sa oder So um 10 Uhr Brunch
Um 2 Tage verschieben
um 5 Minuten kürzen
um 9.30 Prozent erhöhen
So 10 Uhr Kirche
Heiligabend um 18 Uhr Essen
Christmas Eve at 6pm with Ada
plan the rest of next week
Mon 9:00 or Tue 10:00
Mon 9:00 or Tue 10:00 call Ada
Monday 9:00 or Tuesday 10:00
Monday at 9 or Tuesday at 10 dentist
dentist Monday at 9 or Tuesday
dentist Monday or Tuesday
dentist on Monday, or on Tuesday
dentist tomorrow or Monday
dentist on 3 December or 4 December
report Friday and Monday
Mo 9 Uhr oder Di 10 Uhr
Montag 9 Uhr oder Dienstag 10 Uhr
Zahnarzt am Montag oder am Dienstag
Zahnarzt am Montag um 9 oder am Dienstag
Zahnarzt 3.12. oder 4.12.
Zahnarzt morgen oder übermorgen
gym Mon Wed Fri at 7am
Sport Mo Mi Fr um 7
Oma So 11 Uhr anrufen
trip to Rome from 3 Dec to 7 Dec
reply to Ada Monday week
reply to Ada tomorrow week at 9
dentist Mon 1/12 9am
Tue 1/12 dentist
by November this year finish
bis November dieses Jahres fertig
Monday, Tuesday or Wednesday dentist
Mon 9:00 and Sat 10:00
1. 2. 3. test
Mo 9 Uhr oder Do 10 Uhr
Mitte nächster Woche anrufen
Texte übersetzen FR
Rechnungen SA
Lunch with Ellen Mi
Call Karen Mo
Run 10k in 50 minutes
How to learn piano in 24 hours
Order pizza in 30 minutes or less
In 30 minutes or less order pizza
Learn Go in 24 hours
check how to learn Go in 24 hours
call of the wild in 90 minutes
in 80 minutes around the world
in 20 minutes a day to fluent German
in 10 Minuten am Tag Klavier lernen
in 24 Stunden um die Welt
Pizza in 30 Minuten backen
Klavier lernen in 24 Stunden
10 km in 50 Minuten laufen
upgrade to Python 3.12
dentist Monday morning or Tuesday
dentist Monday morning or Tuesday at 9
dentist Mon morning or Tue 9:00
dentist on Monday evening, or Tuesday
call Ada 5pm Mon or Tue
dentist Mon 5pm, Tue 6pm
dentist Monday 9:00, Tuesday 10:00
dentist Monday 9am / Tuesday 10am
dentist Friday/Saturday
dentist on Friday / Saturday
dentist today/tomorrow
dentist maybe Friday or Saturday
dentist Friday, maybe Saturday
dentist Friday (or Saturday)
dentist Friday and/or Saturday
dentist Friday or the weekend
lunch Friday or dinner Saturday
lunch on Friday or early dinner on Saturday
Mittagessen Freitag oder Abendessen Samstag
Freitagnacht oder Samstagmorgen
Samstagmorgen oder Freitagnacht
Party Freitagnacht um 2 Uhr
letzte Freitagnacht um 23 Uhr war schön
Party Freitagnacht oder Samstagnacht um 23 Uhr
dentist this or next Friday
dentist next week or the week after
dentist by the 3rd or 4th
dentist December 3 or 4
dentist 3 and 4 December
dentist in December or January
dentist at 5 or 6pm
dentist noon or midnight
dentist not before Friday at 9
dentist except Friday
trip 3 Dec – 7 Dec
trip Mon 30 Nov – Fri 4 Dec
trip Monday - Friday
trip tomorrow - Friday
trip 2026-12-03 – 2026-12-07
trip Dec 3 – 7
trip Dec 3–7 at 9
trip 3-7 December at 9
trip 3rd to 7th of December
trip from Thursday 3 Dec to Monday 7 Dec
trip from Friday evening to Sunday
open Friday 9:00 to Saturday 17:00
29 Feb next year party
party on 30 February next year at 9
party on 31 April at 9
in December last year we met
Montagabend oder Dienstagabend
Zahnarzt Montag früh oder Dienstag
Zahnarzt Mo früh oder Di 9 Uhr
Zahnarzt am Freitag/Samstag
Zahnarzt heute/morgen
Zahnarzt Montag bzw. Dienstag
Zahnarzt Mo bzw. Di 9 Uhr
Zahnarzt Montag 9 Uhr bzw. Dienstag 10 Uhr
Zahnarzt 3.12. bzw. 4.12.
Zahnarzt am 3. oder 4.12.
Zahnarzt am 3. oder 4.
Zahnarzt Freitag (evtl. Samstag)
Zahnarzt diese oder nächste Woche
Zahnarzt um 9 oder 10 Uhr
Zahnarzt nicht vor Freitag
Reise 3. Dez – 7. Dez
Reise vom 3. – 7.12.
Reise Do 3.12. – Mo 7.12.
Reise von Donnerstag, 3. Dezember bis Montag, 7. Dezember
Reise Freitagabend bis Sonntagabend
Reise heute bis Freitag
Tagung 3.–5. Dezember um 9
Feier am 29. Februar nächsten Jahres
Feier am 31. April um 9 Uhr
im Dezember letzten Jahres besprochen
release 1.2.3
book a hotel for 2 weeks
he sat down
come in 2nd
from 1.2 to 1.3
ring 030/12/2026/5
allen guten Morgen wünschen
read https://example.com/a?b=2026-12-01
read (www.example.com/tomorrow) and example.com/2026-12-01#today
see [due friday](https://example.com/2026-12-01)
mail friday@tomorrow.example
send "The day after tomorrow" to Ada
lies „bis Friday“ und “by Friday” und «by Friday» und \`by 3.12.\`
`
  .trim()
  .split("\n");
