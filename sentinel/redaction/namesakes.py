"""Places, products and firms that are called like people.

They carry the claims a reviewer must judge, and the model takes many of them for persons. A word of
these lists counts as a person only where a phrase or a surname beside it says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from sentinel.redaction.lexicon import folded, is_also_given, is_common_word, is_proper_noun, may_be_surname

#: Places, peoples and months whose names are given names or surnames too, or read like them.
PLACES = frozenset(
    """
    adelaide africa alberta alexandria america amsterdam april arlington ashland asia athens august aurora
    guernica sonoma
    austin bath beaumont berkeley berlin beverly birmingham boston bradford brisbane bristol brooklyn
    burlington cairo cambridge camden canterbury carlisle carolina charleston charlotte chelsea chester
    cleveland columbus concord cordoba cork dakota dallas darwin denver derby devon dover dublin durham
    eden england english essex europe everett florence france francisco french geneva georgia german
    germany glasgow gloucester grenada hamburg hamilton harlem hartford holland houston hudson huntington
    india indiana ireland irish irving israel italy jackson jamaica jersey jerusalem johannesburg jordan
    june juneau kent kenya kingston lancaster lansing laredo leeds leicester lexington lima lincoln lisbon
    london louisiana lourdes lyon madison madrid malaysia manchester marseille maryland melbourne memphis
    merced mexico miami milan milton minneapolis mobile modesto montana monterey montgomery montreal
    moscow munich naples nashville nevada newcastle newport norfolk norman norway oakland odessa olympia
    orlando ottawa oxford palermo palestine paris pasadena perth petersburg philadelphia philippines
    phoenix pittsburgh portland porto preston princeton providence quincy raleigh richmond riverside
    rochester roma roman rome sacramento salem salvador samara santiago santos sausalito savannah scotland
    seattle sevilla seville sheffield siena somerset spain spokane stockton surrey sydney syria tampa
    texas toledo trinidad tripoli troy tunis turin valencia vancouver venice vermont verona victoria
    vienna virginia warsaw warwick washington wellington welsh westminster wichita winchester windsor
    worcester york zurich
    andorra angola antigua argentina austria barbuda belgium bolivia brazil canada chile china colombia
    croatia cuba cyprus ecuador egypt gambia greece guinea iran iraq japan korea lebanon libya mali malta
    monaco morocco nepal niger panama paraguay peru poland romania samoa serbia somalia sudan taiwan thailand
    togo tonga uganda uruguay venezuela vietnam zambia zealand
    """.split()  # noqa: SIM905 - one word beside the other reads better than quoted ones
)
#: Software, devices, medicines and brands with names of people or names that the model knows none of.
PRODUCTS = frozenset(
    """
    abilify advil airtable alexa alteryx amazon ambien android ansible anthropic apache apple arduino
    asana atlassian azure babel bard basecamp bing bixby bluetooth bootstrap camry cassandra celebrex
    celery chrome chromecast cialis civic claude clojure cloudflare cobol confluence consul copilot
    corolla cortana couchbase coumadin crestor cursor cypress dagster databricks datadog debian deno
    discord django docker dropbox druid drupal eclipse ecto elasticsearch elixir eliza elm envoy erlang
    etsy excel facebook fargate fastly fedora figma firebase firefox flask ford fortran galaxy gemini
    gerrit ghidra github gitlab glucophage gmail google gradle grafana grok groovy hadoop hana haskell
    helm heroku hive hudi humira ibuprofen instagram intercom ios ipad iphone istio java javascript
    jenkins jest jira joomla julia jupyter kafka kanban karma keras kibana kindle klaviyo kotlin
    kubernetes lambda lantus laravel lasso lexapro libra linkedin linux lipitor lisp llama looker lua
    lucene lufthansa lyft macos magento mailchimp mariadb matlab maven mercedes mesos metabase metformin
    mistral moderna mongo mongodb mopar motrin mozilla mulesoft mysql neo4j netflix netlify neurontin
    nexium nextjs nginx node nodejs notion npm nuget nvidia okta ollama openai opera oracle outlook
    ozempic pandas pascal paxil paypal pepcid perl photoshop pinecone pinterest plavix playstation polars
    pornhub postgres postgresql postman powerpoint presto prettier prilosec prius prometheus prozac pulumi
    puppet python quora rabbitmq rails react reddit redis redshift ritalin roomba ruby rust safari
    salesforce sass scala scikit sega selenium shopify siri skype slack snapchat snowflake solr sonos
    spark splunk spotify stripe svelte swagger swift synthroid tableau tailwind teams telegram tensorflow
    terraform tesla tiktok tomcat toyota trello twilio twitch twitter tylenol typescript uber ubuntu unity
    valium vault vercel viagra vue vyvanse watson webex wegovy whatsapp wikipedia windows wordpress xanax
    xarelto xbox yahoo yelp youtube zantac zapier zendesk zigbee zoloft zoom zyrtec
    """.split()  # noqa: SIM905
)
#: Firms and institutions that carry the name of a person or of two.
FIRMS = frozenset(
    tuple(line.split())
    for line in """
    abercrombie fitch
    alfa romeo
    arthur andersen
    aston martin
    baker mckenzie
    baskin robbins
    ben jerry
    bausch lomb
    black decker
    calvin klein
    carl zeiss
    carnegie mellon
    charles schwab
    christian dior
    coldwell banker
    colgate palmolive
    dean witter
    dolce gabbana
    edward jones
    eli lilly
    elizabeth arden
    ernst young
    estee lauder
    fannie mae
    franklin templeton
    freddie mac
    frito lay
    general mills
    giorgio armani
    goldman sachs
    harley davidson
    hewlett packard
    hugo boss
    jack daniels
    jimmy choo
    john deere
    john hancock
    johns hopkins
    johnnie walker
    johnson johnson
    jp morgan
    kate spade
    kimberly clark
    land rover
    lehman brothers
    levi strauss
    liberty mutual
    lockheed martin
    louis vuitton
    marc jacobs
    marks spencer
    martin marietta
    martini rossi
    mary kay
    massey ferguson
    mercedes benz
    merrill lynch
    michael kors
    molson coors
    morgan stanley
    northrop grumman
    oscar mayer
    papa john
    philip morris
    procter gamble
    ralph lauren
    raymond james
    rolls royce
    saint laurent
    sara lee
    sherwin williams
    smith wesson
    stanley black
    thomas cook
    thomson reuters
    tommy hilfiger
    victoria secret
    virgin atlantic
    warner bros
    wells fargo
    """.strip().splitlines()
)
#: Firms of one word that is, or reads like, a surname or a given name.
ONE_WORD_FIRMS = frozenset(
    """
    nasa nato unicef unesco opec asean
    abbott accenture acer adidas airbus akamai aldi alibaba allianz amgen armani asus avis avon axa baidu
    barclays bayer bentley biogen bloomberg boeing bosch braun budweiser bugatti bulgari burberry cadbury
    canon cargill carlsberg carrefour cartier casio caterpillar chanel chevron chrysler cisco citigroup
    cognizant colgate comcast conoco costco daimler danone dell deloitte delta diageo dior disney dyson
    ericsson experian exxon ferrari fiat ford fujitsu gartner gillette givenchy glaxo goldman gucci harley
    hasbro heineken heinz hermes hershey hertz hilton hitachi holcim honda hoover humana hyatt hyundai ibm
    infosys intel intuit isuzu jaguar kawasaki kellogg kelloggs kimberly kodak komatsu kroger lamborghini
    lenovo lidl lilly lloyds loreal macys marriott maserati mastercard mattel maybelline mazda mckesson
    mckinsey medtronic merck mercedes merrill michelin microsoft mitsubishi monsanto morgan motorola nestle
    nielsen nike nikon nintendo nissan nokia nordstrom norton novartis oracle panasonic pfizer philips
    pirelli porsche prada primark puma raytheon renault reuters revlon ricoh roche rolex rothschild saab
    safeway sainsbury samsung sanofi sanyo schneider schlumberger schwab seagate sears siemens skoda sony
    sotheby starbucks subaru suzuki symantec takeda tata tesco thales thyssen tiffany toshiba toyota tyson
    unilever verizon versace viacom visa vodafone volkswagen volvo wachovia waitrose walgreens walmart
    wendy whirlpool wipro wrigley xerox yamaha zara zeiss zurich
    """.split()  # noqa: SIM905
)
#: Words that begin a place's name and no person's.
PLACE_PREFIXES = frozenset(
    """
    bad baden cape costa cote den east el fort ile isla lake las los monte mount mt new north nova nuevo
    port porto puerto rio saint san santa santo sao south st ste upper west
    """.split()  # noqa: SIM905
)
_NOT_ALONE = PLACES | PRODUCTS


def is_namesake(words: Sequence[str]) -> bool:
    """Return whether the words, as they stand, are places or products and no given name with a surname."""
    if not all(folded(word) in _NOT_ALONE or is_proper_noun(word) or is_common_word(word) for word in words):
        return False
    named = len(words) > 1 and is_also_given(words[0]) and may_be_surname(words[-1])
    return not named and any(folded(word) in _NOT_ALONE or is_proper_noun(word) for word in words)


def is_place(word: str) -> bool:
    """Return whether the word is a place on the list."""
    return folded(word) in PLACES or is_proper_noun(word)


def is_place_only(word: str) -> bool:
    """Return whether the word is a place on the short list: those that are no more a name than a place."""
    return folded(word) in PLACES


def is_known_thing(word: str) -> bool:
    """Return whether the word is a place, product or firm on the lists, or another proper noun."""
    plain = folded(word)
    return plain in _NOT_ALONE or plain in ONE_WORD_FIRMS or is_proper_noun(word)


def begins_place(word: str) -> bool:
    """Return whether a name that begins with the word is a place's."""
    return folded(word).rstrip(".") in PLACE_PREFIXES


def is_firm(first: str, second: str) -> bool:
    """Return whether two words side by side are a firm on the list."""
    return (folded(first), folded(second)) in FIRMS
